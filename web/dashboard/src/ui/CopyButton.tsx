import { ActionIcon } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'

export function CopyButton({ text }: { text: string }) {
  const words = useTranslations('states')
  const { copied, copy } = useClipboard()
  const Icon = copied ? IconCheck : IconCopy
  return (
    <ActionIcon
      variant="subtle"
      aria-label={copied ? words('copied') : words('copy')}
      onClick={() => copy(text)}
    >
      <Icon size={16} aria-hidden />
    </ActionIcon>
  )
}
