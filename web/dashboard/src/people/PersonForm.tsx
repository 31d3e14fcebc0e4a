import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useMemo } from 'react'
import { useTranslations } from 'use-intl'
import type { Agent } from '../app/shapes'
import { useIsOffline } from '../live/useIsOffline'
import { changesOf } from '../settings/draft'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { useDraft } from '../ui/forms/useDraft'
import { Choices } from './Choices'
import classes from './People.module.css'
import { ROLES, roleOf, useChannels, useDivisions, usePeopleMutation } from './usePeople'

const CUSTOMERS_MAX = 1000

/** Returns the editable fields of an agent, as the server accepts them; a limit of 0 means none. */
function draftOf(person: Agent) {
  return {
    name: person.name,
    email: person.email,
    type: roleOf(person) as string,
    customers_max: person.customers_max ?? 0,
    channel_ids: person.user_channels.map(({ id }) => id),
    division_ids: person.user_roles.map(({ id }) => id),
  }
}

/** The form for an agent's name, role, limit, channels and divisions. */
export function PersonForm({ person, mayWrite }: { person: Agent; mayWrite: boolean }) {
  const words = useTranslations('people')
  const showDone = useSuccessNotice()
  const isOffline = useIsOffline()
  const channels = useChannels()
  const divisions = useDivisions()
  const kept = useMemo(() => draftOf(person), [person])
  const { draft, base, change, settle } = useDraft(kept)
  const { mutate, isPending } = usePeopleMutation()
  const isFixed = !mayWrite
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    // Send only changed fields, because another admin may have changed the others.
    const changes = changesOf(base, draft)
    if (Object.keys(changes).length === 0) return showDone(words('saved'))
    mutate([`/api/v2/admin/agent/${person.id}/update`, changes], {
      onSuccess() {
        settle(draft, draft)
        showDone(words('saved'))
      },
    })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <div className={classes.row}>
          <TextInput
            label={words('name')}
            value={draft.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            disabled={isFixed}
            required
            withAsterisk={false}
          />
          <TextInput
            type="email"
            label={words('email')}
            value={draft.email}
            onChange={(event) => change({ email: event.currentTarget.value })}
            disabled={isFixed}
            required
            withAsterisk={false}
          />
          <NativeSelect
            label={words('role')}
            description={words('roleHelp')}
            data={ROLES.map((value) => ({ value, label: words(`roles.${value}`) }))}
            value={draft.type}
            onChange={(event) => change({ type: event.currentTarget.value })}
            disabled={isFixed}
          />
          <TextInput
            type="number"
            min={0}
            max={CUSTOMERS_MAX}
            label={words('cap')}
            description={words('capHelp')}
            value={draft.customers_max || ''}
            onChange={(event) => change({ customers_max: Number(event.currentTarget.value) })}
            disabled={isFixed}
          />
        </div>
        <Choices
          legend={words('channelsHelp')}
          all={channels.data ?? []}
          chosen={draft.channel_ids}
          onChange={(channel_ids) => change({ channel_ids })}
          isFixed={isFixed}
        />
        <Choices
          legend={words('divisions')}
          all={divisions.data ?? []}
          chosen={draft.division_ids}
          onChange={(division_ids) => change({ division_ids })}
          isFixed={isFixed}
        />
        {mayWrite && (
          <Group>
            <Button type="submit" loading={isPending} disabled={isOffline}>
              {words('save')}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}
