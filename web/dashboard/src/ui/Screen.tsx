import { Group, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './Screen.module.css'
import { useTitle } from './useTitle'

interface ScreenProps {
  title: string
  /** What can be done with the whole of it. */
  deeds?: ReactNode
  children: ReactNode
}

/** A screen that is read from top to bottom. */
export function Screen({ title, deeds, children }: ScreenProps) {
  useTitle(title)
  return (
    <main id="main" className={classes.page} data-region tabIndex={-1}>
      <Stack className={classes.column ?? ''} gap="lg">
        <Group justify="space-between">
          <Title order={1} size="h2">
            {title}
          </Title>
          {deeds}
        </Group>
        {children}
      </Stack>
    </main>
  )
}
