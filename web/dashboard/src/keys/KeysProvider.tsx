import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react'
import { usePreferences } from '../app/PreferencesProvider'
import {
  ACTIONS,
  type Action,
  type Chord,
  type KeyName,
  type KeyPress,
  keysOf,
  nameOf,
  OPENING_KEYS,
} from './keys'
import { focusStart } from './regions'

interface KeysBus {
  /** The signed-in user's shortcuts. */
  keys: Record<KeyName, Chord | null>
  /** Whether a mounted component handles the shortcut. */
  has: (name: KeyName) => boolean
  /** Runs the handler of the shortcut that was registered last. */
  run: (name: KeyName) => void
  /** Returns the conversation actions that have a handler. */
  availableActions: () => Action[]
  register: (name: KeyName, handler: () => void) => () => void
}

const Bus = createContext<KeysBus | null>(null)

export const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

export function useKeys(): KeysBus {
  const bus = useContext(Bus)
  if (bus === null) throw new Error('no KeysProvider')
  return bus
}

/** Handles a shortcut while the component is mounted; null disables the handler. The handler that
 * was registered last wins. */
export function useKey(name: KeyName, handler: (() => void) | null): void {
  const { register } = useKeys()
  const newest = useRef(handler)
  useEffect(() => {
    newest.current = handler
  })
  const isThere = handler !== null
  useEffect(
    () => (isThere ? register(name, () => newest.current?.()) : undefined),
    [register, name, isThere],
  )
}

/** Handles an action on the open conversation, which the command bar lists as well. Pass null while
 * the action is not possible. */
export function useAction(name: Action, handler: (() => void) | null): void {
  useKey(name, handler)
}

/** Handles keyboard shortcuts for the whole page. */
export function KeysProvider({ children }: { children: ReactNode }) {
  const { preferences } = usePreferences()
  const keys = useMemo(() => keysOf(preferences.keys), [preferences.keys])
  const handlers = useRef(new Map<KeyName, (() => void)[]>())
  const bus = useMemo<KeysBus>(
    () => ({
      keys,
      has: (name) => Boolean(handlers.current.get(name)?.length),
      run: (name) => handlers.current.get(name)?.at(-1)?.(),
      availableActions: () => ACTIONS.filter((action) => handlers.current.get(action)?.length),
      register: register(handlers.current),
    }),
    [keys],
  )
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      // An open dialog handles its own keys.
      if (event.defaultPrevented || document.querySelector('[aria-modal="true"]')) return
      const isTyping = isTextField(event.target)
      const name = nameOf(pressOf(event), keys, { isApple, isTyping })
      if (name === null || !bus.has(name)) return
      event.preventDefault()
      // Text typed before the dialog is rendered must not land in the composer.
      if (isTyping && OPENING_KEYS.includes(name)) focusStart()
      bus.run(name)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [keys, bus])
  return <Bus value={bus}>{children}</Bus>
}

const register =
  (handlers: Map<KeyName, (() => void)[]>): KeysBus['register'] =>
  (name, handler) => {
    handlers.set(name, [...(handlers.get(name) ?? []), handler])
    return () => {
      handlers.set(name, handlers.get(name)?.filter((it) => it !== handler) ?? [])
    }
  }

export function pressOf(event: KeyboardEvent): KeyPress {
  const { code, key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = event
  const isAltGraph = event.getModifierState('AltGraph')
  return { code, key, ctrlKey, metaKey, altKey, shiftKey, isComposing, isAltGraph }
}

const NO_TEXT = ['button', 'checkbox', 'radio', 'file', 'range', 'color', 'submit', 'reset']

export function isTextField(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !NO_TEXT.includes(target.type)
  if (target instanceof HTMLTextAreaElement) return true
  return target instanceof HTMLElement && target.isContentEditable
}
