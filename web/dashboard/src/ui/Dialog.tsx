import { Group, Modal } from '@mantine/core'
import type { KeyboardEvent, ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { restoreFocus } from '../keys/regions'
import { useReturnFocus } from './useReturnFocus'

interface DialogProps {
  isOpen: boolean
  onClose: () => void
  title: string
  children: ReactNode
}

/** A modal dialog. Its title bar is not a `header` element, which would be a second banner landmark
 * of the page. */
export function Dialog({ isOpen, onClose, title, children }: DialogProps) {
  const words = useTranslations('states')
  useReturnFocus(isOpen)
  return (
    <Modal.Root
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={() => setTimeout(() => restoreFocus())}
    >
      <Modal.Overlay />
      <Modal.Content>
        <Group justify="space-between" wrap="nowrap" p="md">
          <Modal.Title fw={600}>{title}</Modal.Title>
          <Modal.CloseButton aria-label={words('close')} />
        </Group>
        <Modal.Body onKeyDown={submitByKey}>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

/** Submits the form of a dialog on Ctrl+Enter or Cmd+Enter in any of its fields. */
function submitByKey(event: KeyboardEvent<HTMLElement>) {
  const isSubmit = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
  if (!isSubmit || event.defaultPrevented || event.nativeEvent.isComposing) return
  const form = event.currentTarget.querySelector('form')
  const button = form?.querySelector<HTMLButtonElement>('[type="submit"]')
  if (!form || !button) return
  event.preventDefault()
  // The button is disabled while a request is running or a value is missing.
  if (!button.disabled) form.requestSubmit(button)
}
