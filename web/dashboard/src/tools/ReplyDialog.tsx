import '@mantine/core/styles/Checkbox.css'
import {
  Button,
  Checkbox,
  Group,
  NativeSelect,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { CannedReply } from '../app/shapes'
import { LANGUAGES } from '../app/WordsProvider'
import { Dialog } from '../ui/Dialog'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { NAME_PLACEHOLDER, withInserted, withName } from './placeholders'
import classes from './Tools.module.css'
import { REPLIES, useToolMutation } from './useTools'

const SHORTCUT_MAX = 100
const TEXT_MAX = 4000

interface ReplyDialogProps {
  /** The reply to change; undefined to create one. */
  reply: CannedReply | undefined
  onClose: () => void
}

export function ReplyDialog({ reply, onClose }: ReplyDialogProps) {
  const words = useTranslations('tools')
  const showDone = useSuccessNotice()
  const area = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(reply?.text ?? '')
  const mutation = useToolMutation(REPLIES)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const body = {
      // Users type the slash; the server stores the shortcut without it.
      shortcut: String(form.get('shortcut') ?? '')
        .trim()
        .replace(/^\/+/, ''),
      text: text.trim(),
      language: String(form.get('language') ?? ''),
      is_shared: form.has('is_shared'),
    }
    mutation.mutate(reply ? { method: 'PUT', id: reply.id, body } : { method: 'POST', body }, {
      onSuccess() {
        showDone(words('saved'))
        onClose()
      },
    })
  }
  function putName() {
    const from = area.current?.selectionStart ?? text.length
    const put = withInserted(
      text,
      { from, to: area.current?.selectionEnd ?? from },
      NAME_PLACEHOLDER,
    )
    setText(put.text)
    area.current?.focus()
    // The caret can be set only after the text is rendered.
    requestAnimationFrame(() => area.current?.setSelectionRange(put.caret, put.caret))
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={reply ? words('changeTitle', { name: `/${reply.shortcut}` }) : words('replies.add')}
    >
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            name="shortcut"
            label={words('replies.shortcut')}
            description={words('replies.shortcutHelp')}
            defaultValue={reply?.shortcut}
            maxLength={SHORTCUT_MAX}
            required
            withAsterisk={false}
            data-autofocus
          />
          <Textarea
            ref={area}
            name="text"
            label={words('replies.text')}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            maxLength={TEXT_MAX}
            rows={5}
            required
            withAsterisk={false}
          />
          <Group>
            <Button size="compact-sm" variant="default" onClick={putName}>
              {words('replies.putName')}
            </Button>
          </Group>
          {text.includes(NAME_PLACEHOLDER) && (
            <Text size="sm" className={classes.said}>
              {words('replies.example', { text: withName(text, words('replies.exampleName')) })}
            </Text>
          )}
          <NativeSelect
            name="language"
            label={words('replies.language')}
            data={languagesWith(reply?.language ?? '', words('replies.anyLanguage'))}
            defaultValue={reply?.language ?? ''}
          />
          <Checkbox
            name="is_shared"
            label={words('replies.isShared')}
            description={words('replies.isSharedHelp')}
            defaultChecked={reply?.is_shared ?? true}
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

/** Returns the page's languages, and the reply's own language if an API client set another one. */
function languagesWith(kept: string, any: string) {
  const known = Object.entries(LANGUAGES).map(([value, label]) => ({
    value,
    label: label as string,
  }))
  const isOther = kept !== '' && !known.some(({ value }) => value === kept)
  return [{ value: '', label: any }, ...known, ...(isOther ? [{ value: kept, label: kept }] : [])]
}
