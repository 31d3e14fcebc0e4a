import { Button, Group, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import { useErrorNotice } from '../../ui/feedback/useErrorNotice'
import { useSuccessNotice } from '../../ui/feedback/useSuccessNotice'
import { useDraft } from '../../ui/forms/useDraft'
import { type ProviderEntry, textOf, useChange } from './useProviderChannels'

interface SettingFormProps extends ProviderEntry {
  /** Name of the field in the API. */
  name: string
  label: string
  charsMax: number
  isRequired?: boolean
  isUrl?: boolean
}

/** The form for one text setting of a channel, saved on its own. */
export function SettingForm({ kind, record, name, label, ...rules }: SettingFormProps) {
  const words = useTranslations('channels')
  const showDone = useSuccessNotice()
  const showFailure = useErrorNotice()
  const change = useChange(kind.word, record.id)
  const { draft, change: write, settle, isChanged } = useDraft({ text: textOf(record, name) })
  const text = draft.text.trim()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    change.mutate(
      { [name]: text },
      {
        onError: showFailure,
        onSuccess() {
          settle(draft, { text })
          showDone(words('saved'))
        },
      },
    )
  }
  return (
    <form onSubmit={submit}>
      <Group align="end" gap="sm">
        <TextInput
          type={rules.isUrl ? 'url' : 'text'}
          label={label}
          maxLength={rules.charsMax}
          required={Boolean(rules.isRequired)}
          withAsterisk={false}
          value={draft.text}
          onChange={({ currentTarget }) => write({ text: currentTarget.value })}
          flex="1 1 16rem"
        />
        <Button
          type="submit"
          variant="default"
          loading={change.isPending}
          disabled={!isChanged || (Boolean(rules.isRequired) && text === '')}
        >
          {words('save')}
        </Button>
      </Group>
    </form>
  )
}
