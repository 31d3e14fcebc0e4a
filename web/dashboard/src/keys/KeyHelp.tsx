import '@mantine/core/styles/Table.css'
import '@mantine/core/styles/Kbd.css'
import { Kbd, Table } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import { usePreferences } from '../app/PreferencesProvider'
import { Dialog } from '../ui/Dialog'
import { isApple, useKeys } from './KeysProvider'
import { formatChord, KEY_NAMES } from './keys'

/** The list of all keyboard shortcuts, with the user's own changes. */
export default function KeyHelp({ onClose }: { onClose: () => void }) {
  const words = useTranslations('keys')
  const { keys } = useKeys()
  const { preferences } = usePreferences()
  const mod = isApple ? '⌘' : 'Ctrl'
  const sends = preferences.sendKey === 'enter' ? 'Enter' : `${mod}+Enter`
  const breaks = preferences.sendKey === 'enter' ? 'Shift+Enter' : 'Enter'
  const given = KEY_NAMES.flatMap((name) => {
    const chord = keys[name]
    return chord ? [{ name: words(`names.${name}`), key: formatChord(chord, isApple) }] : []
  })
  const fixed = [
    { name: words('fixed.send'), key: sends },
    { name: words('fixed.breakLine'), key: breaks },
    { name: words('fixed.canned'), key: '/' },
    { name: words('fixed.emoji'), key: ':' },
    { name: words('fixed.submit'), key: `${mod}+Enter` },
    { name: words('fixed.close'), key: 'Esc' },
  ]
  return (
    <Dialog isOpen onClose={onClose} title={words('title')}>
      <Table>
        <Table.Tbody>
          {[...given, ...fixed].map(({ name, key }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400}>
                {name}
              </Table.Th>
              <Table.Td ta="end">
                <Kbd>{key}</Kbd>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <p className="muted">{words(isApple ? 'typingApple' : 'typing')}</p>
      <Link to="/me#keys" onClick={onClose}>
        {words('change')}
      </Link>
    </Dialog>
  )
}
