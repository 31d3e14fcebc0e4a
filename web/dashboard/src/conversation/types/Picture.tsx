import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { safeUrl } from '../../../../shared/text'
import classes from '../Conversation.module.css'
import { ExternalLink } from './FormattedText'

interface PictureProps {
  url: unknown
  name: string
  isTrusted: boolean
}

/** A picture. If a customer linked it from another host, it is loaded after a click only; otherwise
 * that host would learn the agent's IP address. Pictures of other hosts are loaded by HTTPS
 * only. */
export function Picture({ url, name, isTrusted }: PictureProps) {
  const words = useTranslations('conversation')
  const [isWanted, setWanted] = useState(false)
  const [state, setState] = useState<'loading' | 'shown' | 'broken'>('loading')
  const safe = safeUrl(url)
  if (safe === null) return typeof url === 'string' && url ? <Text size="sm">{url}</Text> : null
  const { origin, protocol, host } = new URL(safe)
  const isOurs = origin === location.origin
  if (state === 'broken' || (!isOurs && protocol !== 'https:')) {
    return <ExternalLink href={safe}>{words('pictureAt', { host })}</ExternalLink>
  }
  if (!isOurs && !isTrusted && !isWanted) {
    return (
      <Button variant="default" size="xs" onClick={() => setWanted(true)}>
        {words('showPicture', { host })}
      </Button>
    )
  }
  return (
    <img
      className={classes.picture}
      data-state={state}
      src={safe}
      alt={name}
      loading="lazy"
      referrerPolicy="no-referrer"
      onLoad={() => setState('shown')}
      onError={() => setState('broken')}
    />
  )
}
