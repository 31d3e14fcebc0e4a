import '@mantine/core/styles/Checkbox.css'
import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { usePreferences } from '../app/PreferencesProvider'
import { SOUNDS } from '../app/preferences'
import { play } from './sound'

/** The settings for sounds and browser notifications. */
export function Sounds() {
  const words = useTranslations('myself')
  const { preferences, change } = usePreferences()
  const { sounds } = preferences
  return (
    <Stack gap="sm">
      {SOUNDS.map((name) => (
        <Group key={name} gap="md" justify="space-between" wrap="nowrap">
          <Checkbox
            label={words(`sound.${name}`)}
            checked={sounds[name]}
            onChange={(event) =>
              change({ sounds: { ...sounds, [name]: event.currentTarget.checked } })
            }
          />
          <Button
            size="compact-sm"
            variant="default"
            aria-label={words('listenTo', { name: words(`sound.${name}`) })}
            onClick={() => play(name)}
          >
            {words('listen')}
          </Button>
        </Group>
      ))}
      <Notify />
    </Stack>
  )
}

/** The checkbox for browser notifications. The browser asks for permission only after it is
 * checked. */
function Notify() {
  const words = useTranslations('myself')
  const { preferences, change } = usePreferences()
  const isThere = 'Notification' in window
  const [permission, setPermission] = useState(isThere ? Notification.permission : 'denied')
  const isOn = preferences.notifies && permission === 'granted'
  async function turn(isWanted: boolean) {
    if (!isWanted) return change({ notifies: false })
    const given = await Notification.requestPermission()
    setPermission(given)
    if (given === 'granted') change({ notifies: true })
  }
  return (
    <>
      <Checkbox
        label={words('notifies')}
        description={words('notifiesHint')}
        checked={isOn}
        disabled={permission === 'denied'}
        onChange={(event) => void turn(event.currentTarget.checked)}
      />
      {permission === 'denied' && (
        <Text size="sm" className="muted">
          {words('notifiesDenied')}
        </Text>
      )}
    </>
  )
}
