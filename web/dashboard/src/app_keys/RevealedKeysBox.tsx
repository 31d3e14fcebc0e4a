import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { RevealedKeys } from '../app/shapes'
import { CopyButton } from '../ui/CopyButton'
import { useNow } from '../ui/useNow'
import classes from './Keys.module.css'

const NAMES = ['secret_key', 'staged_key', 'sdk_secret'] as const

interface RevealedKeysBoxProps {
  keys: RevealedKeys
  until: number
  onHide: () => void
}

/** The full keys, with a countdown until they are hidden. */
export function RevealedKeysBox({ keys, until, onHide }: RevealedKeysBoxProps) {
  const words = useTranslations('appKeys')
  const seconds = Math.max(0, Math.ceil((until - useNow(1000)) / 1000))
  return (
    <section className={classes.shown} aria-label={words('shown')}>
      <Stack gap="sm">
        {NAMES.map((name) => {
          const key = keys[name]
          return (
            key && (
              <div key={name}>
                <Text size="sm" fw={600}>
                  {words(`names.${name}`)}
                </Text>
                <Group gap="xs" wrap="nowrap">
                  <Code className={classes.key ?? ''}>{key}</Code>
                  <CopyButton text={key} />
                </Group>
              </div>
            )
          )
        })}
        <Group>
          <Button size="compact-sm" variant="default" onClick={onHide}>
            {words('hide')}
          </Button>
          <Text size="sm">{words('hiddenIn', { seconds })}</Text>
        </Group>
      </Stack>
    </section>
  )
}
