import { Button, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useLocation, useSearch } from 'wouter'
import { lazyPart } from '../app/lazyPart'
import { EmptyState } from '../ui/feedback/EmptyState'
import { ErrorState } from '../ui/feedback/ErrorState'
import { useTitle } from '../ui/useTitle'
import { ContactRows } from './ContactRows'
import classes from './Contacts.module.css'
import { useContacts } from './useContacts'

const StartDialog = lazyPart(() => import('../templates/StartDialog'))

/** The list of all customers, last active first. Its search text is stored in the URL. */
export function ContactList() {
  const words = useTranslations('contacts')
  const templates = useTranslations('templates')
  const [isStarting, setStarting] = useState(false)
  useTitle(words('title'))
  const [, go] = useLocation()
  const q = new URLSearchParams(useSearch()).get('q') ?? ''
  const [text, setText] = useState(q)
  const sought = useRef(q)
  // Follow browser history, but not the URL changes of the field's own typing.
  useEffect(() => {
    if (sought.current === q) return
    sought.current = q
    setText(q)
  }, [q])
  const list = useContacts(q)
  const search = useDebouncedCallback((q: string) => {
    sought.current = q
    go(q === '' ? '/contacts' : `/contacts?${new URLSearchParams({ q })}`, { replace: true })
  }, 200)
  return (
    <main id="main" className={classes.screen} data-region tabIndex={-1}>
      <div className={classes.head}>
        <h1 className={classes.title}>{words('title')}</h1>
        <Button variant="default" onClick={() => setStarting(true)}>
          {templates('start')}
        </Button>
        <TextInput
          type="search"
          aria-label={words('search')}
          placeholder={words('search')}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            search(event.currentTarget.value.trim())
          }}
        />
      </div>
      {list.error && list.contacts.length === 0 ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      ) : list.isSuccess && list.contacts.length === 0 ? (
        <EmptyState title={words(q === '' ? 'empty' : 'nothingFound')} />
      ) : (
        <ContactRows list={list} />
      )}
      <Suspense>{isStarting && <StartDialog onClose={() => setStarting(false)} />}</Suspense>
    </main>
  )
}
