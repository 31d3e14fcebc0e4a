import { type ChangedKeys, KEY_NAMES } from '../keys/keys'

/** What makes a sound or a notification. */
export const SOUNDS = ['message', 'unassigned', 'assigned'] as const
export type SoundName = (typeof SOUNDS)[number]

/** How somebody likes the page. The server keeps it as it is and never looks into it. */
export interface Preferences {
  keys: ChangedKeys
  /** What sends a message: the other breaks the line. */
  sendKey: 'enter' | 'mod-enter'
  sounds: Record<SoundName, boolean>
  /** Whether new messages are shown outside the page, where the browser may. */
  notifies: boolean
  /** Whether the first steps of an admin were put away. */
  isStarted: boolean
  /** Whether they chose their password themselves. */
  hasOwnPassword: boolean
}

const FIRST: Preferences = {
  keys: {},
  sendKey: 'enter',
  sounds: { message: true, unassigned: false, assigned: true },
  notifies: false,
  isStarted: false,
  hasOwnPassword: false,
}

/** What was kept, as far as it can be understood: an older or newer page may have written it. */
export function preferencesOf(kept: unknown): Preferences {
  const given = object(kept)
  const sounds = object(given.sounds)
  return {
    keys: keysIn(object(given.keys)),
    sendKey: given.sendKey === 'mod-enter' ? 'mod-enter' : FIRST.sendKey,
    sounds: Object.fromEntries(
      SOUNDS.map((name) => [name, boolean(sounds[name], FIRST.sounds[name])]),
    ) as Record<SoundName, boolean>,
    notifies: boolean(given.notifies, FIRST.notifies),
    isStarted: boolean(given.isStarted, FIRST.isStarted),
    hasOwnPassword: boolean(given.hasOwnPassword, FIRST.hasOwnPassword),
  }
}

function keysIn(given: Record<string, unknown>): ChangedKeys {
  const keys: ChangedKeys = {}
  for (const name of KEY_NAMES) {
    if (!(name in given)) continue
    const chord = given[name]
    if (chord === null) keys[name] = null
    const { code, mod, alt, shift } = object(chord)
    if (typeof code !== 'string' || code === '') continue
    keys[name] = {
      code,
      ...(mod === true && { mod }),
      ...(alt === true && { alt }),
      ...(shift === true && { shift }),
    }
  }
  return keys
}

function boolean(value: unknown, otherwise: boolean): boolean {
  return typeof value === 'boolean' ? value : otherwise
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
