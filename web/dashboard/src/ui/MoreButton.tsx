import { Button, Group, Stack } from '@mantine/core'
import { ErrorState } from './ErrorState'

interface MoreButtonProps {
  label: string
  isLoading: boolean
  /** Why the last page did not come. */
  error: Error | null
  onMore: () => void
}

/** Goes on with a list; what went wrong is said where it was pressed. */
export function MoreButton({ label, isLoading, error, onMore }: MoreButtonProps) {
  return (
    <Stack gap="sm">
      {error && !isLoading && <ErrorState error={error} onRetry={onMore} />}
      <Group justify="center">
        <Button variant="default" loading={isLoading} onClick={onMore}>
          {label}
        </Button>
      </Group>
    </Stack>
  )
}
