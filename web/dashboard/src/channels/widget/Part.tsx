import { Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

interface PartProps {
  title: string
  help?: string
  children: ReactNode
}

/** A group of related settings with a title. */
export function Part({ title, help, children }: PartProps) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <Title order={2} size="h4" id={id}>
        {title}
      </Title>
      {help && (
        <Text size="sm" className="muted">
          {help}
        </Text>
      )}
      <Stack gap="sm" mt="sm">
        {children}
      </Stack>
    </section>
  )
}
