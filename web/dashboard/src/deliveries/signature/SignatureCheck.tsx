import { Alert, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../../shared/call'
import type { Data, SignatureVerdict } from '../../app/shapes'
import { Part } from '../../channels/widget/Part'
import { useIsOffline } from '../../live/useIsOffline'
import { useErrorNotice } from '../../ui/feedback/useErrorNotice'

/** The form that checks which key created a signature. The server compares it with the original
 * body. */
export function SignatureCheck({ id }: { id: string }) {
  const words = useTranslations('deliveries')
  const isOffline = useIsOffline()
  const check = useMutation({
    mutationFn: (given: { header: string; secret?: string }) =>
      call<Data<SignatureVerdict>>('POST', '/api/v2/webhooks/verify', {
        delivery_id: id,
        ...given,
      }),
    gcTime: 0,
    onError: useErrorNotice(),
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const secret = text('secret')
    check.mutate({ header: text('header'), ...(secret && { secret }) })
  }
  const verdict = check.data?.data
  return (
    <Part title={words('check')} help={words('checkHelp')}>
      <form onSubmit={submit}>
        <Stack gap="sm" maw={560}>
          <TextInput
            name="header"
            label={words('header')}
            required
            withAsterisk={false}
            autoComplete="off"
            spellCheck={false}
          />
          <PasswordInput
            name="secret"
            label={words('secret')}
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': words('showSecret') }}
          />
          <Group>
            <Button type="submit" variant="default" disabled={isOffline} loading={check.isPending}>
              {words('checkNow')}
            </Button>
          </Group>
          {verdict && (
            <Alert
              color={verdict.verdict === 'none' ? 'red' : 'teal'}
              variant="outline"
              role="status"
            >
              <Text fw={600}>{words(`verdicts.${verdict.verdict}`)}</Text>
              <Text size="sm">{verdict.why}</Text>
            </Alert>
          )}
        </Stack>
      </form>
    </Part>
  )
}
