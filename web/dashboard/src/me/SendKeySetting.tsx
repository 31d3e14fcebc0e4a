import '@mantine/core/styles/Radio.css'
import { Radio, Stack } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { usePreferences } from '../app/PreferencesProvider'
import { isApple } from '../keys/KeysProvider'

const SEND_KEYS = ['enter', 'mod-enter'] as const

/** The setting for the key that sends a message. */
export function SendKeySetting() {
  const words = useTranslations('myself')
  const { preferences, change } = usePreferences()
  const mod = isApple ? '⌘' : 'Ctrl'
  const labels = { enter: words('enterSends'), 'mod-enter': words('modEnterSends', { mod }) }
  return (
    <Radio.Group
      label={words('sendKey')}
      value={preferences.sendKey}
      onChange={(sendKey) => change({ sendKey: sendKey === 'enter' ? 'enter' : 'mod-enter' })}
    >
      <Stack gap="xs" mt="xs">
        {SEND_KEYS.map((it) => (
          <Radio key={it} value={it} label={labels[it]} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
