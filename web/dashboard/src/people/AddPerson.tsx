import '@mantine/core/styles/Checkbox.css'
import {
  Button,
  Checkbox,
  Group,
  NativeSelect,
  PasswordInput,
  Stack,
  TextInput,
} from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Data, SignInLink as Link } from '../app/shapes'
import { Dialog } from '../ui/Dialog'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { Choices } from './Choices'
import { SignInLink } from './SignInLink'
import { ROLES, useDivisions, usePeopleMutation } from './usePeople'

const PASSWORD_MIN = 8

/** An agent who was just created, with their sign-in link. */
interface AddedAgent {
  name: string
  link: Link
}

/** The dialog that creates an agent. The agent gets a sign-in link and chooses a password, or the
 * admin sets the first password. */
export function AddPerson({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const words = useTranslations('people')
  const [added, setAdded] = useState<AddedAgent | null>(null)
  const close = () => {
    setAdded(null)
    onClose()
  }
  const title = added ? words('addedTitle', { name: added.name }) : words('add')
  return (
    <Dialog isOpen={isOpen} onClose={close} title={title}>
      {isOpen && !added && <Form onAdded={setAdded} onClose={close} />}
      {added && (
        <Stack gap="md">
          <SignInLink {...added} />
          <Group justify="flex-end">
            <Button onClick={close} autoFocus>
              {words('done')}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}

interface FormProps {
  onAdded: (added: AddedAgent) => void
  onClose: () => void
}

function Form({ onAdded, onClose }: FormProps) {
  const words = useTranslations('people')
  const showDone = useSuccessNotice()
  const divisions = useDivisions()
  const [chosen, setChosen] = useState<number[]>([])
  const [hasPassword, setHasPassword] = useState(false)
  const { mutate, isPending } = usePeopleMutation<Data<{ sign_in_link?: Link | null }>>()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const text = (name: string) => String(given.get(name) ?? '')
    const name = text('name').trim()
    const person = {
      name,
      email: text('email').trim(),
      type: text('type'),
      ...(hasPassword ? { password: text('password') } : { sign_in_link: true }),
      ...(chosen.length > 0 && { division_ids: chosen }),
    }
    mutate(['/api/v2/admin/create_agent', person], {
      onSuccess({ data }) {
        if (data.sign_in_link) return onAdded({ name, link: data.sign_in_link })
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
        <Checkbox
          label={words('tellPassword')}
          description={words('tellPasswordHelp')}
          checked={hasPassword}
          onChange={(event) => setHasPassword(event.currentTarget.checked)}
        />
        {hasPassword && (
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
        )}
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
