import { Button, Code, Group, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { CopyButton } from '../ui/CopyButton'
import classes from './Channels.module.css'

/** Time after which the key is hidden again. */
const SHOWN_MS = 60_000

/** The channel's key, hidden until the user asks for it. */
export function ChannelKey({ value }: { value: string }) {
  const words = useTranslations('channels')
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (!isShown) return
    const timer = setTimeout(() => setShown(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isShown])
  return (
    <div>
      <Text size="sm" fw={600}>
        {words('key')}
      </Text>
      <Text size="sm" className="muted">
        {words('keyHelp')}
      </Text>
      <Group gap="xs" mt={4}>
        {isShown && <Code className={classes.key ?? ''}>{value}</Code>}
        {isShown && <CopyButton text={value} />}
        <Button
          size="compact-sm"
          variant="default"
          aria-expanded={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? words('hide') : words('show')}
        </Button>
      </Group>
    </div>
  )
}
