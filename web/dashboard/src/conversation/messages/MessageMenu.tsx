import { ActionIcon, Menu } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import {
  IconArrowBackUp,
  IconCopy,
  IconDots,
  IconLink,
  IconPencil,
  IconTrash,
} from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { lazyPart } from '../../app/lazyPart'
import type { Comment, Me, Row } from '../../app/shapes'
import classes from '../Conversation.module.css'
import { mayAssign } from '../lock'

const DeleteDialog = lazyPart(() => import('./DeleteDialog'))

interface MessageMenuProps {
  me: Me
  row: Row | undefined
  comment: Comment
  isOwn: boolean
  put: (comment: Comment) => void
  edit: () => void
  quote: ((comment: Comment) => void) | null
}

/** The menu of actions on one message. */
export function MessageMenu({ me, row, comment, isOwn, put, edit, quote }: MessageMenuProps) {
  const words = useTranslations('message')
  const { copy } = useClipboard()
  const [isDeleting, setDeleting] = useState(false)
  const icon = { size: 16, 'aria-hidden': true } as const
  const link = () => {
    const url = new URL(location.href)
    url.search = `?m=${comment.id_str}`
    url.hash = ''
    return url.href
  }
  return (
    <>
      <Menu position="bottom-end" withInitialFocusPlaceholder={false} shadow="md">
        <Menu.Target>
          <ActionIcon className={classes.menu ?? ''} variant="subtle" aria-label={words('menu')}>
            <IconDots {...icon} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {quote && (
            <Menu.Item leftSection={<IconArrowBackUp {...icon} />} onClick={() => quote(comment)}>
              {words('reply')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconCopy {...icon} />} onClick={() => copy(comment.message)}>
            {words('copy')}
          </Menu.Item>
          <Menu.Item leftSection={<IconLink {...icon} />} onClick={() => copy(link())}>
            {words('copyLink')}
          </Menu.Item>
          {isOwn && comment.type === 'text' && (
            <Menu.Item leftSection={<IconPencil {...icon} />} onClick={edit}>
              {words('edit')}
            </Menu.Item>
          )}
          {(isOwn || mayAssign(me)) && row && (
            <Menu.Item leftSection={<IconTrash {...icon} />} onClick={() => setDeleting(true)}>
              {words('delete')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {isDeleting && (
        <Suspense>
          <DeleteDialog comment={comment} put={put} onClose={() => setDeleting(false)} />
        </Suspense>
      )}
    </>
  )
}
