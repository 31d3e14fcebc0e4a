import { Anchor, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import { withQuery } from '../../../shared/call'
import type { AppTag } from '../app/shapes'
import { ConfirmDialog } from '../channels/ConfirmDialog'
import { colourOf } from '../inbox/rows/RowTags'
import { useIsOffline } from '../live/useIsOffline'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { MergeDialog } from './MergeDialog'
import { TagDialog } from './TagDialog'
import classes from './Tools.module.css'
import { TAGS, useToolMutation } from './useTools'

const ACTIONS = ['change', 'merge', 'delete'] as const

/** A tag with its number of conversations and its actions. */
export function TagItem({ tag }: { tag: AppTag }) {
  const words = useTranslations('tools')
  const showDone = useSuccessNotice()
  const isOffline = useIsOffline()
  const [asked, setAsked] = useState<(typeof ACTIONS)[number] | null>(null)
  const mutation = useToolMutation(TAGS)
  const { id, name, count } = tag
  const close = () => setAsked(null)
  const remove = () =>
    mutation.mutate(
      { method: 'DELETE', id },
      {
        onSuccess() {
          close()
          showDone(words('deleted', { name }))
        },
      },
    )
  return (
    <li className={classes.item}>
      <Group gap="xs" wrap="nowrap" className={classes.grow ?? ''}>
        <span className={classes.dot} style={{ background: colourOf(tag.colour ?? null) }} />
        <Text fw={600}>{name}</Text>
      </Group>
      <Anchor component={Link} size="sm" to={withQuery('/inbox/all', { tag: name })}>
        {words('tags.count', { count })}
      </Anchor>
      <Group gap="xs">
        {ACTIONS.map((it) => (
          <Button
            key={it}
            size="xs"
            variant="default"
            disabled={isOffline}
            aria-label={words(`${it}Of`, { name })}
            onClick={() => setAsked(it)}
          >
            {words(it)}
          </Button>
        ))}
      </Group>
      {asked === 'change' && <TagDialog tag={tag} onClose={close} />}
      {asked === 'merge' && <MergeDialog tag={tag} onClose={close} />}
      <ConfirmDialog
        isOpen={asked === 'delete'}
        onClose={close}
        title={words('deleteTitle', { name })}
        help={words('tags.deleteHelp', { count })}
        yes={words('delete')}
        isPending={mutation.isPending}
        onYes={remove}
      />
    </li>
  )
}
