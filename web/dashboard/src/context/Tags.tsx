import '@mantine/core/styles/Combobox.css'
import { Autocomplete, CloseButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { call, withQuery } from '../../../shared/call'
import type { Data, Row, Tag } from '../app/shapes'
import { colourOf } from '../inbox/rows/RowTags'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import classes from './Context.module.css'

const FOUND_MAX = 10
const NAME_MAX = 100

type Change = { add: string } | { remove: number }

/** The tags of a room. Existing tags are suggested; adding an unknown name creates the tag. */
export function Tags({ row, requests }: { row: Row; requests: number }) {
  const words = useTranslations('context')
  const queries = useQueryClient()
  const [text, setText] = useState('')
  const lastAdded = useRef('')
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (requests > 0) input.current?.focus()
  }, [requests])
  const { tags } = row
  const names = useTagNames(text).filter((name) => !tags.some((tag) => tag.name === name))
  const change = useMutation({
    mutationFn: (change: Change) =>
      'add' in change
        ? call('POST', `/api/v2/room_tags/${row.room_id}`, { tag: change.add })
        : call('DELETE', `/api/v2/room_tags/${row.room_id}/${change.remove}`),
    onError: useErrorNotice(),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['live', 'room', row.room_id] }),
        queries.invalidateQueries({ queryKey: ['tags'] }),
      ]),
  })
  function add(name: string) {
    lastAdded.current = name
    setText('')
    if (name.trim() !== '') change.mutate({ add: name.trim() })
  }
  return (
    <>
      <ul className={classes.tags} aria-label={words('tags')}>
        {tags.map((tag) => (
          <li key={tag.id} className={classes.tag}>
            <span className={classes.dot} style={{ background: colourOf(tag.colour ?? null) }} />
            {tag.name}
            <CloseButton
              size="sm"
              aria-label={words('removeTag', { name: tag.name })}
              onClick={() => change.mutate({ remove: tag.id })}
            />
          </li>
        ))}
      </ul>
      <Autocomplete
        ref={input}
        size="xs"
        role="combobox"
        aria-label={words('addTag')}
        placeholder={words('addTag')}
        data={names}
        value={text}
        limit={FOUND_MAX}
        maxLength={NAME_MAX}
        onChange={(value) => {
          // The field reports the chosen option's text after the tag was added.
          if (value === lastAdded.current && text === '') lastAdded.current = ''
          else setText(value)
        }}
        onOptionSubmit={add}
        onKeyDown={(event) => {
          const isChoosing = event.currentTarget.getAttribute('aria-activedescendant')
          if (event.key !== 'Enter' || event.nativeEvent.isComposing || isChoosing) return
          event.preventDefault()
          add(text)
        }}
      />
    </>
  )
}

function useTagNames(text: string): string[] {
  const [name] = useDebouncedValue(text.trim(), 150)
  const { data } = useQuery({
    queryKey: ['tags', name],
    placeholderData: (known) => known,
    queryFn: () => call<Data<Tag[]>>('GET', withQuery('/api/v2/tags', { name, limit: FOUND_MAX })),
  })
  return data?.data.map((tag) => tag.name) ?? []
}
