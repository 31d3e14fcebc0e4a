import { Button, Group, NativeSelect, PasswordInput, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Dialogue } from '../ui/Dialogue'
import { useDone } from '../ui/useDone'
import { Choices } from './Choices'
import { ROLES, useDivisions, usePosting } from './usePeople'

const PASSWORD_MIN = 8

/** Somebody new, with a first password that is told to them by whoever adds them. */
export function AddPerson({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const words = useTranslations('people')
  return (
    <Dialogue isOpen={isOpen} onClose={onClose} title={words('add')}>
      {isOpen && <Form onClose={onClose} />}
    </Dialogue>
  )
}

function Form({ onClose }: { onClose: () => void }) {
  const words = useTranslations('people')
  const showDone = useDone()
  const divisions = useDivisions()
  const [chosen, setChosen] = useState<number[]>([])
  const { mutate, isPending } = usePosting()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const text = (name: string) => String(given.get(name) ?? '')
    const name = text('name').trim()
    const person = {
      name,
      email: text('email').trim(),
      password: text('password'),
      type: text('type'),
      ...(chosen.length > 0 && { division_ids: chosen }),
    }
    mutate(['/api/v2/admin/create_agent', person], {
      onSuccess() {
        showDone(words('added', { name }))
        onClose()
      },
    })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput name="name" label={words('name')} required withAsterisk={false} data-autofocus />
        <TextInput name="email" type="email" label={words('email')} required withAsterisk={false} />
        <PasswordInput
          name="password"
          label={words('firstPassword')}
          description={words('firstPasswordHelp')}
          autoComplete="new-password"
          minLength={PASSWORD_MIN}
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ 'aria-label': words('showPassword') }}
        />
        <NativeSelect
          name="type"
          label={words('role')}
          data={ROLES.map((value) => ({ value, label: words(`roles.${value}`) }))}
        />
        <Choices
          legend={words('divisions')}
          all={divisions.data ?? []}
          chosen={chosen}
          onChange={setChosen}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words('cancel')}
          </Button>
          <Button type="submit" loading={isPending}>
            {words('addIt')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
