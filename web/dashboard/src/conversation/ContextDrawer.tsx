import '@mantine/core/styles/Drawer.css'
import { Drawer, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'

interface ContextDrawerProps {
  isOpen: boolean
  onClose: () => void
  name: string
  children: ReactNode
}

/** The context panel as a drawer, for pages too narrow for a column. */
export default function ContextDrawer({ isOpen, onClose, name, children }: ContextDrawerProps) {
  const words = useTranslations('conversation')
  return (
    <Drawer.Root opened={isOpen} onClose={onClose} position="right" size="sm" padding={0}>
      <Drawer.Overlay />
      <Drawer.Content aria-label={name}>
        <Group justify="flex-end" p="xs">
          <Drawer.CloseButton aria-label={words('closePanel')} />
        </Group>
        <Drawer.Body>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}
