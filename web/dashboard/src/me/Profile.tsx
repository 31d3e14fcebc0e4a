import { Button, Group, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import { changeMeEverywhere } from '../app/me'
import type { Me } from '../app/shapes'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'

const NAME_MAX = 255

/** The form for the name that colleagues and customers see. */
export function Profile({ me }: { me: Me }) {
  const words = useTranslations('myself')
  const queries = useQueryClient()
  const showDone = useSuccessNotice()
  const rename = useMutation({
    mutationFn: (name: string) => call('PATCH', '/api/v2/me', { name }),
    onError: useErrorNotice(),
    onSuccess: (_, name) => {
      changeMeEverywhere(queries, { name })
      showDone(words('saved'))
    },
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    rename.mutate(String(new FormData(event.currentTarget).get('name') ?? '').trim())
  }
  return (
    <form onSubmit={submit}>
      <Group align="end" gap="sm">
        <TextInput
          name="name"
          label={words('name')}
          description={words('nameHint')}
          autoComplete="name"
          required
          withAsterisk={false}
          maxLength={NAME_MAX}
          defaultValue={me.user.name}
          flex="1 1 14rem"
        />
        <Button type="submit" loading={rename.isPending}>
          {words('save')}
        </Button>
      </Group>
    </form>
  )
}
