import { Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './Screen.module.css'
import { useTitle } from './useTitle'

interface ScreenProps {
  title: string
  /** Description below the title. */
  help?: string
  /** Buttons or links next to the title. */
  actions?: ReactNode
  /** Whether the screen has wide tables. */
  isWide?: boolean
  children: ReactNode
}

/** A screen with a title, an optional description and a column of content. */
export function Screen({ title, help, actions, isWide = false, children }: ScreenProps) {
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
          {actions}
        </Group>
        {children}
      </Stack>
    </main>
  )
}
