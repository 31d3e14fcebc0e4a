import { Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './Screen.module.css'
import { useTitle } from './useTitle'

interface ScreenProps {
  title: string
  /** What it is for, in a sentence. */
  help?: string
  /** What can be done with the whole of it. */
  deeds?: ReactNode
  /** Whether it has tables that want room. */
  isWide?: boolean
  children: ReactNode
}

/** A screen that is read from top to bottom. */
export function Screen({ title, help, deeds, isWide = false, children }: ScreenProps) {
  useTitle(title)
  return (
    <main id="main" className={classes.page} data-region tabIndex={-1}>
      <Stack className={classes.column ?? ''} gap="lg" data-is-wide={isWide}>
        <Group justify="space-between" align="start">
          <div>
            <Title order={1} size="h2">
              {title}
            </Title>
            {help && <Text className="muted">{help}</Text>}
          </div>
          {deeds}
        </Group>
        {children}
      </Stack>
    </main>
  )
}
