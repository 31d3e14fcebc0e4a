import { Avatar, Tooltip } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Frame } from '../../../../shared/live'
import { initials } from '../../../../shared/text'
import type { Me, Person } from '../../app/shapes'
import { useFrames } from '../../live/LiveProvider'

interface Viewer extends Person {
  is_typing: boolean
}

/** Maximum number of avatars shown, so that the name has room. */
const SHOWN_MAX = 3

/** The avatars of colleagues who have the conversation open. */
export function Viewers({ me, room }: { me: Me; room: string }) {
  const words = useTranslations('deeds')
  const viewers = useViewers(me, room)
  if (viewers.length === 0) return null
  const names = viewers.map((it) => it.name).join(', ')
  return (
    <Tooltip label={words('viewers', { names })}>
      <Avatar.Group role="img" aria-label={words('viewers', { names })}>
        {viewers.slice(0, SHOWN_MAX).map((viewer) => (
          <Avatar key={viewer.id} size="sm" color="teal" variant="filled" aria-hidden>
            {initials(viewer.name)}
          </Avatar>
        ))}
      </Avatar.Group>
    </Tooltip>
  )
}

/** Returns the other agents who have a room open, and whether they are typing. */
export function useViewers(me: Me, room: string): Viewer[] {
  const [viewers, setViewers] = useState<Viewer[]>([])
  useFrames(({ type, data }: Frame) => {
    if (type !== 'viewers') return
    const seen = data as { room_id: string; agents: Viewer[] }
    if (seen.room_id === room) setViewers(seen.agents.filter((it) => it.id !== me.user.id))
  })
  return viewers
}
