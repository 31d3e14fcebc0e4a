import { Button } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { safeUrl } from '../../../../shared/text'
import classes from '../Conversation.module.css'

/** A picture. One that lies on another host is drawn after a click: else whoever sent it would learn
 * the address of whoever looks. */
export function Picture({ url, name }: { url: unknown; name: string }) {
  const words = useTranslations('conversation')
  const [isWanted, setWanted] = useState(false)
  const [isBroken, setBroken] = useState(false)
  const safe = safeUrl(url)
  if (safe === null || isBroken) return null
  if (!isWanted && new URL(safe).origin !== location.origin) {
    return (
      <Button variant="default" size="xs" onClick={() => setWanted(true)}>
        {words('showPicture', { host: new URL(safe).host })}
      </Button>
    )
  }
  return (
    <img
      className={classes.picture}
      src={safe}
      alt={name}
      loading="lazy"
      referrerPolicy="no-referrer"
      onError={() => setBroken(true)}
    />
  )
}
