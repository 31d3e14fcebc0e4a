import { ActionIcon, Popover } from '@mantine/core'
import { IconMoodSmile } from '@tabler/icons-react'
import { type RefObject, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { part } from '../../app/part'
import { Spinner } from '../../ui/Loading'

const EmojiGrid = part(() => import('./EmojiGrid'))

interface EmojiButtonProps {
  area: RefObject<HTMLTextAreaElement | null>
  text: string
  onText: (text: string) => void
}

/** Puts an emoji where the caret stands. */
export function EmojiButton({ area, text, onText }: EmojiButtonProps) {
  const words = useTranslations('composer')
  const [isOpen, setOpen] = useState(false)
  function put(sign: string) {
    const from = area.current?.selectionStart ?? text.length
    const to = area.current?.selectionEnd ?? from
    onText(text.slice(0, from) + sign + text.slice(to))
    setOpen(false)
    requestAnimationFrame(() => {
      area.current?.focus()
      area.current?.setSelectionRange(from + sign.length, from + sign.length)
    })
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="top-start" withinPortal={false} trapFocus>
      <Popover.Target>
        <ActionIcon
          size="lg"
          variant="subtle"
          aria-label={words('emoji')}
          title={words('emoji')}
          onClick={() => setOpen(!isOpen)}
        >
          <IconMoodSmile size={20} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={words('emoji')}>
        <Suspense fallback={<Spinner label={words('emoji')} />}>
          <EmojiGrid onPick={put} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}
