import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { CallError } from '../../../shared/call'
import { CopyButton } from './CopyButton'

/** What went wrong, in the server's words, with what its operator needs to find it. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const words = useTranslations('states')
  const known = error instanceof CallError ? error : null
  const message = known === null || known.status === 0 ? words('unreachable') : known.message
  return (
    <div className="centre">
      <Alert color="red" variant="outline" role="alert" title={words('failed')}>
        <Stack gap="sm">
          <Text>{message}</Text>
          {known?.details.map((detail) => (
            <Text key={detail} size="sm">
              {detail}
            </Text>
          ))}
          {known?.requestId && (
            <Group gap="xs">
              <Text size="sm">{words('request')}</Text>
              <Code>{known.requestId}</Code>
              <CopyButton text={known.requestId} />
            </Group>
          )}
          {onRetry && (
            <Group>
              <Button onClick={onRetry}>{words('retry')}</Button>
            </Group>
          )}
        </Stack>
      </Alert>
    </div>
  )
}
