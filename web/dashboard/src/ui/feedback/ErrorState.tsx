import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { CallError } from '../../../../shared/call'
import { RequestId } from './RequestId'

/** An error with the server's message, its details, the request id and a retry button. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const words = useTranslations('states')
  const known = error instanceof CallError ? error : null
  const kind = kindOf(error)
  // Retrying cannot help if access is denied or the object does not exist.
  const canRetry = kind !== 'forbidden' && kind !== 'gone'
  return (
    <div className="centre">
      <Alert color="red" variant="outline" role="alert" title={words(kind)}>
        <Stack gap="sm">
          <Text>{messageOf(error, words)}</Text>
          {known?.details.map((detail) => (
            <Text key={detail} size="sm">
              {detail}
            </Text>
          ))}
          {kind === 'forbidden' && <Text size="sm">{words('forbiddenHelp')}</Text>}
          {known?.requestId && <RequestId id={known.requestId} />}
          {onRetry && canRetry && (
            <Group>
              <Button onClick={onRetry}>{words('retry')}</Button>
            </Group>
          )}
        </Stack>
      </Alert>
    </div>
  )
}

type Kind = 'failed' | 'forbidden' | 'gone' | 'broken'

function kindOf(error: unknown): Kind {
  if (!(error instanceof CallError)) return 'broken'
  if (error.status === 403) return 'forbidden'
  return error.status === 404 ? 'gone' : 'failed'
}

function messageOf(error: unknown, words: (key: 'unreachable' | 'brokenHelp') => string): string {
  if (!(error instanceof CallError)) return words('brokenHelp')
  return error.status === 0 ? words('unreachable') : error.message
}
