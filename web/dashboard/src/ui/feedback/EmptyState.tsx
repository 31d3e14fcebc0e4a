import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** A centered message, with an optional action below it. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="centre">
      <Stack align="center" gap="md">
        <Text className="muted" ta="center">
          {title}
        </Text>
        {children}
      </Stack>
    </div>
  )
}
