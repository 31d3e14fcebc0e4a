import { Button, Group, Stack } from '@mantine/core'
import { ErrorState } from './feedback/ErrorState'

interface MoreButtonProps {
  label: string
  isLoading: boolean
  /** The reason why the last page failed to load. */
  error: Error | null
  onMore: () => void
}

/** A button that loads the next page of a list, with the error if that failed. */
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
