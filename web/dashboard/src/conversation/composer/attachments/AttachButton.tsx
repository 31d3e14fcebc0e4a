import { ActionIcon } from '@mantine/core'
import { IconPaperclip } from '@tabler/icons-react'
import { useRef } from 'react'
import { useTranslations } from 'use-intl'
import { useAction } from '../../../keys/KeysProvider'

/** The button that opens the file chooser. */
export function AttachButton({ onFiles }: { onFiles: (files: FileList) => void }) {
  const words = useTranslations('composer')
  const input = useRef<HTMLInputElement>(null)
  useAction('attach', () => input.current?.click())
  return (
    <>
      <ActionIcon
        size="lg"
        variant="subtle"
        aria-label={words('attach')}
        title={words('attach')}
        onClick={() => input.current?.click()}
      >
        <IconPaperclip size={20} aria-hidden />
      </ActionIcon>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          if (currentTarget.files) onFiles(currentTarget.files)
          // Otherwise choosing the same file again would not fire a change event.
          currentTarget.value = ''
        }}
      />
    </>
  )
}
