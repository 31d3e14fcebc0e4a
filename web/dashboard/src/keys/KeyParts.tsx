import { Suspense, useState } from 'react'
import { part } from '../app/part'
import type { Me } from '../app/shapes'
import { useKey } from './KeysProvider'
import { focusNextRegion } from './regions'

const CommandBar = part(() => import('./CommandBar'))
const KeyHelp = part(() => import('./KeyHelp'))

/** The dialogs and focus moves that shortcuts trigger on every screen. */
export function KeyParts({ me }: { me: Me }) {
  const [shown, setShown] = useState<'commands' | 'help' | null>(null)
  useKey('commands', () => setShown('commands'))
  useKey('help', () => setShown('help'))
  useKey('regions', () => focusNextRegion(1))
  useKey('regionsBack', () => focusNextRegion(-1))
  const close = () => setShown(null)
  return (
    <Suspense fallback={null}>
      {shown === 'commands' && (
        <CommandBar me={me} onClose={close} onHelp={() => setShown('help')} />
      )}
      {shown === 'help' && <KeyHelp onClose={close} />}
    </Suspense>
  )
}
