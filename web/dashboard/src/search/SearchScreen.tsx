import { Button, Group, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type FormEvent, useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { useLocation, useSearch } from 'wouter'
import { AdminWords } from '../app/AdminWords'
import { EmptyState } from '../ui/feedback/EmptyState'
import { Screen } from '../ui/Screen'
import { Results } from './Results'

/** Maximum length of a query on the server. */
const WANTED_MAX = 255

/** The search for messages and customers, by whole words or their beginnings. */
export default function SearchScreen() {
  return (
    <AdminWords>
      <Loaded />
    </AdminWords>
  )
}

function Loaded() {
  const words = useTranslations('search')
  const [, go] = useLocation()
  const wanted = (new URLSearchParams(useSearch()).get('q') ?? '').trim().slice(0, WANTED_MAX)
  const field = useRef<HTMLInputElement>(null)
  // Browser history changes the query as well.
  useEffect(() => {
    if (field.current) field.current.value = wanted
  }, [wanted])
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const q = String(new FormData(event.currentTarget).get('q') ?? '').trim()
    go(q === '' ? '/search' : `/search?${new URLSearchParams({ q })}`)
  }
  return (
    <Screen title={wanted === '' ? words('title') : words('titleOf', { wanted })}>
      <search>
        <form onSubmit={submit}>
          <Group gap="xs" wrap="nowrap">
            <TextInput
              ref={field}
              name="q"
              type="search"
              flex={1}
              aria-label={words('field')}
              placeholder={words('field')}
              leftSection={<IconSearch size={16} aria-hidden />}
              maxLength={WANTED_MAX}
              defaultValue={wanted}
            />
            <Button type="submit">{words('do')}</Button>
          </Group>
        </form>
      </search>
      {wanted === '' ? (
        <EmptyState title={words('hint')} />
      ) : (
        <Results key={wanted} wanted={wanted} />
      )}
    </Screen>
  )
}
