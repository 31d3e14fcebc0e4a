// All keyboard shortcuts of the page. Keys are identified by their position (`event.code`), so they
// are the same in every layout; `?` is wherever the layout has it.

/** A key with its modifiers. `mod` is Ctrl, or Cmd on Apple keyboards. A one-character code is
 * compared with the character that the key types. */
export interface Chord {
  code: string
  mod?: boolean
  alt?: boolean
  shift?: boolean
}

const alt = (code: string): Chord => ({ code, alt: true })

/** The default shortcuts; null for actions that have none. */
export const KEYS = {
  commands: { code: 'KeyK', mod: true },
  help: { code: '?' },
  regions: { code: 'F6' },
  regionsBack: { code: 'F6', shift: true },
  next: alt('KeyJ'),
  previous: alt('KeyK'),
  pick: alt('KeyX'),
  viewMine: alt('Digit1'),
  viewUnassigned: alt('Digit2'),
  viewBot: alt('Digit3'),
  viewAll: alt('Digit4'),
  viewResolved: alt('Digit5'),
  take: alt('KeyT'),
  reply: alt('KeyL'),
  note: alt('KeyP'),
  attach: { code: 'KeyA', mod: true, alt: true },
  tag: alt('KeyG'),
  assign: alt('KeyA'),
  transfer: null,
  leave: null,
  bot: alt('KeyB'),
  unread: alt('KeyU'),
  resolve: alt('KeyE'),
  resolveAndNext: { code: 'KeyE', mod: true, alt: true },
  reopen: null,
} satisfies Record<string, Chord | null>

/** Shortcuts that open something with a text field, whose code may have to be loaded first. */
export const OPENING_KEYS: readonly KeyName[] = [
  'commands',
  'help',
  'tag',
  'assign',
  'transfer',
  'resolve',
  'resolveAndNext',
]

export type KeyName = keyof typeof KEYS
export const KEY_NAMES = Object.keys(KEYS) as KeyName[]

/** The actions on the open conversation. Components that support one register a handler
 * (`useAction`). */
export const ACTIONS = [
  'take',
  'reply',
  'note',
  'attach',
  'tag',
  'assign',
  'transfer',
  'leave',
  'bot',
  'unread',
  'resolve',
  'resolveAndNext',
  'reopen',
] as const satisfies readonly KeyName[]
export type Action = (typeof ACTIONS)[number]

/** The shortcuts that a user changed: another key, or null for none. */
export type ChangedKeys = Partial<Record<KeyName, Chord | null>>

/** Returns the shortcuts with a user's changes. */
export function keysOf(changed: ChangedKeys): Record<KeyName, Chord | null> {
  return { ...KEYS, ...changed }
}

/** The fields of a keyboard event that identify a shortcut. */
export interface KeyPress {
  code: string
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
  isComposing: boolean
  isAltGraph: boolean
}

/** Returns the name of the pressed shortcut, if any. In a text field, keys that type a character
 * are no shortcuts. */
export function nameOf(
  press: KeyPress,
  keys: Record<KeyName, Chord | null>,
  { isApple, isTyping }: { isApple: boolean; isTyping: boolean },
): KeyName | null {
  if (press.isComposing || press.isAltGraph) return null
  const name = KEY_NAMES.find((name) => {
    const chord = keys[name]
    return chord !== null && fits(press, chord, isApple)
  })
  if (name === undefined) return null
  return isTyping && writes(press, isApple) ? null : name
}

/** Whether a key press can type a character. Option alone does on Apple keyboards, Alt alone does
 * not on others. AltGr can arrive as Ctrl with Alt: such a press is a command only if its character
 * is the one printed on the key. */
function writes({ code, key, ctrlKey, metaKey, altKey }: KeyPress, isApple: boolean): boolean {
  if (/^F\d/.test(code) || metaKey) return false
  if (isApple) return !ctrlKey
  if (ctrlKey && altKey) return key.toLowerCase() !== code.replace(/^(Key|Digit)/, '').toLowerCase()
  return !ctrlKey && !altKey
}

/** Whether a key press matches a shortcut. On Apple keyboards Ctrl+Option equals Option, for use
 * inside text fields. */
function fits(press: KeyPress, chord: Chord, isApple: boolean): boolean {
  const mod = isApple ? press.metaKey : press.ctrlKey
  const isInText = press.altKey && !press.metaKey
  const other = isApple ? press.ctrlKey && !isInText : press.metaKey
  if (other || mod !== (chord.mod ?? false) || press.altKey !== (chord.alt ?? false)) return false
  if (chord.code.length === 1) return press.key === chord.code
  return press.code === chord.code && press.shiftKey === (chord.shift ?? false)
}

/** Returns the chord that a user pressed as a new shortcut, or null while only modifiers are
 * held. */
export function chordOf(press: KeyPress, isApple: boolean): Chord | null {
  if (/^(Control|Alt|Shift|Meta|OS|AltGraph)/.test(press.code) || press.code === '') return null
  return {
    code: press.code,
    ...((isApple ? press.metaKey : press.ctrlKey) && { mod: true }),
    ...(press.altKey && { alt: true }),
    ...(press.shiftKey && { shift: true }),
  }
}

/** Formats a shortcut for display: `Ctrl+Alt+E`, or `⌘⌥E`. */
export function formatChord(chord: Chord, isApple: boolean): string {
  const held = [
    chord.mod && (isApple ? '⌘' : 'Ctrl'),
    chord.alt && (isApple ? '⌥' : 'Alt'),
    chord.shift && (isApple ? '⇧' : 'Shift'),
  ].filter(Boolean)
  const key = chord.code.replace(/^(Key|Digit)/, '')
  return [...held, key].join(isApple ? '' : '+')
}

/** Formats a shortcut as the value of `aria-keyshortcuts`. */
export function ariaChord(chord: Chord, isApple: boolean): string {
  const held = [
    chord.mod && (isApple ? 'Meta' : 'Control'),
    chord.alt && 'Alt',
    chord.shift && 'Shift',
  ].filter(Boolean)
  return [...held, chord.code.replace(/^(Key|Digit)/, '')].join('+')
}

/** Returns another shortcut with the same keys, if any. */
export function clashOf(keys: Record<KeyName, Chord | null>, name: KeyName): KeyName | null {
  const chord = keys[name]
  if (chord === null) return null
  const same = (other: Chord | null) =>
    other !== null && formatChord(other, false) === formatChord(chord, false)
  return KEY_NAMES.find((other) => other !== name && same(keys[other])) ?? null
}
