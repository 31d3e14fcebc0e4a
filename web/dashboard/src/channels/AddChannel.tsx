import { Button, Group, Stack, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import { Dialog } from '../ui/Dialog'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { useAddChannel } from './useChannels'

const NAME_MAX = 255
const URL_MAX = 2048

/** The dialog that creates a custom channel, with its name and the URL for replies. */
export function AddChannel({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const words = useTranslations('channels')
  const showDone = useSuccessNotice()
  const add = useAddChannel()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const channel = { name: text('name'), webhook_url: text('answers') }
    add.mutate(channel, {
      onSuccess() {
        showDone(words('added', { name: channel.name }))
        onClose()
      },
    })
  }
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={words('add')}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            name="name"
            label={words('name')}
            maxLength={NAME_MAX}
            required
            withAsterisk={false}
            data-autofocus
          />
          <TextInput
            name="answers"
            type="url"
            label={words('answers')}
            description={words('answersHelp')}
            placeholder="https://gateway.example.com/answers"
            maxLength={URL_MAX}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words('cancel')}
            </Button>
            <Button type="submit" loading={add.isPending}>
              {words('addIt')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
