import '@mantine/core/styles/Checkbox.css'
import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { AppTag } from '../app/shapes'
import { Dialog } from '../ui/Dialog'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { TAGS, useToolMutation } from './useTools'

const NAME_MAX = 100
const FIRST_COLOUR = '#0b6e6e'

/** The dialog for a tag's name and color, which change in all conversations. */
export function TagDialog({ tag, onClose }: { tag: AppTag; onClose: () => void }) {
  const words = useTranslations('tools')
  const showDone = useSuccessNotice()
  const [colour, setColour] = useState(tag.colour ?? null)
  const mutation = useToolMutation(TAGS)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name') ?? '').trim()
    mutation.mutate(
      { method: 'PUT', id: tag.id, body: { name, colour } },
      {
        onSuccess() {
          showDone(words('saved'))
          onClose()
        },
      },
    )
  }
  return (
    <Dialog isOpen onClose={onClose} title={words('changeTitle', { name: tag.name })}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            name="name"
            label={words('tags.name')}
            defaultValue={tag.name}
            maxLength={NAME_MAX}
            required
            withAsterisk={false}
            data-autofocus
          />
          <Checkbox
            label={words('tags.hasColour')}
            checked={colour !== null}
            onChange={(event) => setColour(event.currentTarget.checked ? FIRST_COLOUR : null)}
          />
          {colour !== null && (
            <TextInput
              type="color"
              label={words('tags.colour')}
              value={colour}
              maw={160}
              onChange={(event) => setColour(event.currentTarget.value)}
            />
          )}
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
