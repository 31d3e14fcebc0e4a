import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Agent } from '../app/shapes'
import { useDone } from '../ui/useDone'
import { Choices } from './Choices'
import classes from './People.module.css'
import { ROLES, roleOf, useChannels, useDivisions, usePosting } from './usePeople'

const CUSTOMERS_MAX = 1000

/** What somebody is called, may do, and serves. */
export function PersonForm({ person, mayWrite }: { person: Agent; mayWrite: boolean }) {
  const words = useTranslations('people')
  const showDone = useDone()
  const channels = useChannels()
  const divisions = useDivisions()
  const [channelIds, setChannelIds] = useState(person.user_channels.map(({ id }) => id))
  const [divisionIds, setDivisionIds] = useState(person.user_roles.map(({ id }) => id))
  const { mutate, isPending } = usePosting()
  const isFixed = !mayWrite
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const text = (name: string) => String(given.get(name) ?? '').trim()
    const changed = {
      name: text('name'),
      email: text('email'),
      type: text('type'),
      customers_max: text('customers_max') === '' ? null : Number(text('customers_max')),
      channel_ids: channelIds,
      division_ids: divisionIds,
    }
    const path = `/api/v2/admin/agent/${person.id}/update`
    mutate([path, changed], { onSuccess: () => showDone(words('saved')) })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <div className={classes.row}>
          <TextInput
            name="name"
            label={words('name')}
            defaultValue={person.name}
            disabled={isFixed}
            required
            withAsterisk={false}
          />
          <TextInput
            name="email"
            type="email"
            label={words('email')}
            defaultValue={person.email}
            disabled={isFixed}
            required
            withAsterisk={false}
          />
          <NativeSelect
            name="type"
            label={words('role')}
            description={words('roleHelp')}
            data={ROLES.map((value) => ({ value, label: words(`roles.${value}`) }))}
            defaultValue={roleOf(person)}
            disabled={isFixed}
          />
          <TextInput
            name="customers_max"
            type="number"
            min={0}
            max={CUSTOMERS_MAX}
            label={words('cap')}
            description={words('capHelp')}
            defaultValue={person.customers_max ?? ''}
            disabled={isFixed}
          />
        </div>
        <Choices
          legend={words('channelsHelp')}
          all={channels.data ?? []}
          chosen={channelIds}
          onChange={setChannelIds}
          isFixed={isFixed}
        />
        <Choices
          legend={words('divisions')}
          all={divisions.data ?? []}
          chosen={divisionIds}
          onChange={setDivisionIds}
          isFixed={isFixed}
        />
        {mayWrite && (
          <Group>
            <Button type="submit" loading={isPending}>
              {words('save')}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}
