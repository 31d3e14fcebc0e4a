import { Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './OfficeScreen.module.css'

interface OfficeScreenProps {
  title: string
  help?: string
  /** What can be done with the whole of it. */
  actions?: ReactNode
  children: ReactNode
}

/** A screen that is read from top to bottom. */
export function OfficeScreen({ title, help, actions, children }: OfficeScreenProps) {
  return (
    <main id="main" className={classes.screen} data-region tabIndex={-1}>
      <Stack className={classes.column ?? ''} gap="lg">
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
