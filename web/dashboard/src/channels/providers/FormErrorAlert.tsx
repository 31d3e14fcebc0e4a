import { Alert, Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { CallError } from '../../../../shared/call'
import { RequestId } from '../../ui/feedback/RequestId'

/** The errors of a form that belong to no field. */
export function FormErrorAlert({ error, messages }: { error: unknown; messages: string[] }) {
  const words = useTranslations('states')
  if (!error) return null
  const known = error instanceof CallError && error.status !== 0 ? error : null
  const all = known ? messages : [words('unreachable')]
  if (all.length === 0) return null
  return (
    <Alert color="red" variant="outline" role="alert" title={words('failed')}>
      <Stack gap="xs">
        {all.map((text) => (
          <Text key={text} size="sm">
            {text}
          </Text>
        ))}
        {known?.requestId && <RequestId id={known.requestId} />}
      </Stack>
    </Alert>
  )
}
