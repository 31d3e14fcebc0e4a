import '@mantine/core/styles/Checkbox.css'
import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import type { CustomButton } from '../app/shapes'
import { Dialog } from '../ui/Dialog'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { BUTTONS, useToolMutation } from './useTools'

const LABEL_MAX = 100
const URL_MAX = 2048

interface ButtonDialogProps {
  /** The button to change; undefined to create one. */
  button: CustomButton | undefined
  onClose: () => void
}

export function ButtonDialog({ button, onClose }: ButtonDialogProps) {
  const words = useTranslations('tools')
  const showDone = useSuccessNotice()
  const mutation = useToolMutation(BUTTONS)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const body = {
      label: text('label'),
      webhook_url: text('webhook_url'),
      is_active: form.has('is_active'),
    }
    mutation.mutate(button ? { method: 'PUT', id: button.id, body } : { method: 'POST', body }, {
      onSuccess() {
        showDone(words('saved'))
        onClose()
      },
    })
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={button ? words('changeTitle', { name: button.label }) : words('buttons.add')}
    >
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            name="label"
            label={words('buttons.label')}
            description={words('buttons.labelHelp')}
            defaultValue={button?.label}
            maxLength={LABEL_MAX}
            required
            withAsterisk={false}
            data-autofocus
          />
          <TextInput
            name="webhook_url"
            type="url"
            label={words('buttons.url')}
            description={words('buttons.urlHelp')}
            placeholder="https://tickets.example.com/hook"
            defaultValue={button?.webhook_url}
            maxLength={URL_MAX}
            required
            withAsterisk={false}
          />
          <Checkbox
            name="is_active"
            label={words('buttons.isOn')}
            defaultChecked={button?.is_active ?? true}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words('cancel')}
            </Button>
            <Button type="submit" loading={mutation.isPending}>
              {words('save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
