import { ActionIcon, Popover } from '@mantine/core'
import { IconMoodSmile } from '@tabler/icons-react'
import { type RefObject, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { lazyPart } from '../../../app/lazyPart'
import { Spinner } from '../../../ui/feedback/Loading'
import { replaceText } from '../writing/replaceText'

const EmojiGrid = lazyPart(() => import('./EmojiGrid'))

interface EmojiButtonProps {
  area: RefObject<HTMLTextAreaElement | null>
}

/** The button that opens the emoji grid; the chosen emoji is inserted at the caret. */
export function EmojiButton({ area }: EmojiButtonProps) {
  const words = useTranslations('composer')
  const [isOpen, setOpen] = useState(false)
  function put(sign: string) {
    const field = area.current
    if (field) replaceText(field, sign, field.selectionStart, field.selectionEnd)
    setOpen(false)
    // The grid traps the focus until it is closed.
    requestAnimationFrame(() => field?.focus())
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
