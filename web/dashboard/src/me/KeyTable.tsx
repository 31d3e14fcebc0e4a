import '@mantine/core/styles/Table.css'
import '@mantine/core/styles/Kbd.css'
import { Button, Group, Kbd, Stack, Table, Text } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { usePreferences } from '../app/PreferencesProvider'
import { isApple, pressOf, useKeys } from '../keys/KeysProvider'
import { chordOf, clashOf, formatChord, KEY_NAMES, type KeyName } from '../keys/keys'
import classes from './Myself.module.css'

/** The table of keyboard shortcuts, each of which can be changed or disabled. */
export function KeyTable() {
  const words = useTranslations('keys')
  const { preferences, change } = usePreferences()
  const isChanged = Object.keys(preferences.keys).length > 0
  return (
    <Stack gap="sm">
      <Text size="sm" className="muted">
        {words('typing')}
      </Text>
      <Table className={classes.keys ?? ''}>
        <Table.Tbody>
          {KEY_NAMES.map((name) => (
            <KeyLine key={name} name={name} />
          ))}
        </Table.Tbody>
      </Table>
      {isChanged && (
        <Group>
          <Button variant="default" onClick={() => change({ keys: {} })}>
            {words('restore')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function KeyLine({ name }: { name: KeyName }) {
  const words = useTranslations('keys')
  const { keys } = useKeys()
  const { preferences, change } = usePreferences()
  const [isListening, setListening] = useState(false)
  const chord = keys[name]
  const clash = clashOf(keys, name)
  const label = words(`names.${name}`)
  const set = (chord: (typeof keys)[KeyName]) =>
    change({ keys: { ...preferences.keys, [name]: chord } })

  function onKeyDown(event: KeyboardEvent) {
    if (!isListening || event.key === 'Tab') return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Escape') return setListening(false)
    const pressed = chordOf(pressOf(event.nativeEvent), isApple)
    if (pressed === null) return
    setListening(false)
    set(pressed)
  }

  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {label}
        {clash && (
          <Text size="sm" role="alert">
            {words('clash', { name: words(`names.${clash}`) })}
          </Text>
        )}
      </Table.Th>
      <Table.Td>{chord ? <Kbd>{formatChord(chord, isApple)}</Kbd> : words('none')}</Table.Td>
      <Table.Td>
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            aria-label={words('changeOf', { name: label })}
            onClick={() => setListening(true)}
            onKeyDown={onKeyDown}
            onBlur={() => setListening(false)}
          >
            {isListening ? words('press') : words('changeOne')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            disabled={chord === null}
            aria-label={words('offOf', { name: label })}
            onClick={() => set(null)}
          >
            {words('off')}
          </Button>
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}
