import { Button, Group, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import { useDone } from '../../ui/useDone'
import { useDraft } from '../../ui/useDraft'
import { useFailure } from '../../ui/useFailure'
import { type Service, useChange } from './useServices'

const NAME_MAX = 255

/** What a channel is called here. */
export function NameForm({ kind, record }: Service) {
  const words = useTranslations('channels')
  const showDone = useDone()
  const showFailure = useFailure()
  const change = useChange(kind.word, record.id)
  const { draft, change: write, settle, isChanged } = useDraft({ name: record.name })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const wanted = { name: draft.name.trim() }
    change.mutate(wanted, {
      onError: showFailure,
      onSuccess() {
        settle(draft, wanted)
        showDone(words('saved'))
      },
    })
  }
  return (
    <form onSubmit={submit}>
      <Group align="end" gap="sm">
        <TextInput
          label={words('name')}
          maxLength={NAME_MAX}
          required
          withAsterisk={false}
          value={draft.name}
          onChange={({ currentTarget }) => write({ name: currentTarget.value })}
          flex="1 1 16rem"
        />
        <Button
          type="submit"
          variant="default"
          loading={change.isPending}
          disabled={!isChanged || draft.name.trim() === ''}
        >
          {words('save')}
        </Button>
      </Group>
    </form>
  )
}
