import { Suspense, useState } from 'react'
import { lazyPart } from '../app/lazyPart'
import type { Me } from '../app/shapes'
import { useKey } from './KeysProvider'
import { focusNextRegion } from './regions'

const CommandBar = lazyPart(() => import('./CommandBar'))
const KeyHelp = lazyPart(() => import('./KeyHelp'))

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
