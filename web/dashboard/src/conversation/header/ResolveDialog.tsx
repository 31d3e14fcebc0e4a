import '@mantine/core/styles/Checkbox.css'
import { Button, Checkbox, Group, Stack, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import { useLocation } from 'wouter'
import type { Me, Row } from '../../app/shapes'
import type { View } from '../../inbox/views'
import { Dialog } from '../../ui/Dialog'
import { useConversationActions } from '../useConversationActions'
import { nextRoom } from './nextRoom'

interface ResolveDialogProps {
  me: Me
  row: Row
  view: View
  isOpen: boolean
  /** Whether "resolve and next" opened the dialog. */
  goesOn: boolean
  onClose: () => void
}

/** Local storage key of the last choice to continue with the next conversation. */
const OPENS_NEXT_KEY = 'confab-resolve-next'

/** The dialog that resolves a conversation, with resolution notes. Optionally opens the next
 * conversation. */
export default function ResolveDialog(props: ResolveDialogProps) {
  const { me, row, view, isOpen, onClose } = props
  const words = useTranslations('conversation')
  const deedWords = useTranslations('deeds')
  const queries = useQueryClient()
  const [, goTo] = useLocation()
  const actions = useConversationActions(me, row)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const opensNext = form.has('next')
    localStorage.setItem(OPENS_NEXT_KEY, opensNext ? '1' : '')
    const next = opensNext ? nextRoom(queries, view, row.room_id) : null
    const notes = String(form.get('notes') ?? '')
    actions.mutate(
      { do: 'resolve', notes },
      {
        onSuccess() {
          onClose()
          if (opensNext) goTo(next === null ? `/inbox/${view}` : `/inbox/${view}/${next}`)
        },
      },
    )
  }
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={words('resolveTitle', { name: row.name })}>
      <form onSubmit={submit}>
        <Stack>
          <Textarea
            name="notes"
            label={words('notes')}
            defaultValue={row.notes ?? ''}
            autosize
            minRows={3}
            maxRows={10}
            data-autofocus
          />
          <Checkbox
            name="next"
            label={deedWords('thenNext')}
            defaultChecked={props.goesOn || localStorage.getItem(OPENS_NEXT_KEY) === '1'}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words('cancel')}
            </Button>
            <Button type="submit" loading={actions.isPending}>
              {words('resolve')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
