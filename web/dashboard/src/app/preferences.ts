import { type ChangedKeys, KEY_NAMES } from '../keys/keys'

/** The events that can play a sound or show a notification. */
export const SOUNDS = ['message', 'unassigned', 'assigned'] as const
export type SoundName = (typeof SOUNDS)[number]

/** A user's preferences. The server stores them without interpreting them. */
export interface Preferences {
  keys: ChangedKeys
  /** The key that sends a message; the other one inserts a line break. */
  sendKey: 'enter' | 'mod-enter'
  sounds: Record<SoundName, boolean>
  /** Whether new messages are shown as browser notifications. */
  notifies: boolean
  /** Whether an admin closed the first steps. */
  isStarted: boolean
  /** Whether the user chose their password themselves. */
  hasOwnPassword: boolean
}

const DEFAULTS: Preferences = {
  keys: {},
  sendKey: 'enter',
  sounds: { message: true, unassigned: false, assigned: true },
  notifies: false,
  isStarted: false,
  hasOwnPassword: false,
}

/** Parses stored preferences. Invalid values get their defaults, because an older or newer version
 * of the page may have written them. */
export function preferencesOf(kept: unknown): Preferences {
  const given = object(kept)
  const sounds = object(given.sounds)
  return {
    keys: keysIn(object(given.keys)),
    sendKey: given.sendKey === 'mod-enter' ? 'mod-enter' : DEFAULTS.sendKey,
    sounds: Object.fromEntries(
      SOUNDS.map((name) => [name, boolean(sounds[name], DEFAULTS.sounds[name])]),
    ) as Record<SoundName, boolean>,
    notifies: boolean(given.notifies, DEFAULTS.notifies),
    isStarted: boolean(given.isStarted, DEFAULTS.isStarted),
    hasOwnPassword: boolean(given.hasOwnPassword, DEFAULTS.hasOwnPassword),
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
