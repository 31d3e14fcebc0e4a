import { Group, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'

interface DialogueProps {
  isOpen: boolean
  onClose: () => void
  title: string
  children: ReactNode
}

/** A question over the page. Its head is no `header`, which would be a second banner of the page. */
export function Dialogue({ isOpen, onClose, title, children }: DialogueProps) {
  const words = useTranslations('states')
  return (
    <Modal.Root opened={isOpen} onClose={onClose}>
      <Modal.Overlay />
      <Modal.Content>
        <Group justify="space-between" wrap="nowrap" p="md">
          <Modal.Title fw={600}>{title}</Modal.Title>
          <Modal.CloseButton aria-label={words('close')} />
        </Group>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
