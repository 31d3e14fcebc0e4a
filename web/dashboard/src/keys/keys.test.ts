import { expect, test } from 'vitest'
import { preferencesOf } from '../app/preferences'
import { chordOf, clashOf, formatChord, KEY_NAMES, type KeyPress, keysOf, nameOf } from './keys'

const NOTHING_HELD: KeyPress = {
  code: '',
  key: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  isComposing: false,
  isAltGraph: false,
}
const press = (more: Partial<KeyPress>): KeyPress => ({ ...NOTHING_HELD, ...more })
const keys = keysOf({})
const anywhere = { isApple: false, isTyping: false }
const typing = { isApple: false, isTyping: true }

test('a key is identified by its position, whatever the layout types with it', () => {
  const dead = press({ code: 'KeyE', key: '´', altKey: true })
  expect(nameOf(dead, keys, anywhere)).toBe('resolve')
})

test('inside a text field keys with Alt and Ctrl are commands, characters are not', () => {
  expect(nameOf(press({ code: 'KeyE', key: 'e', altKey: true }), keys, typing)).toBe('resolve')
  // A layout without Latin letters.
  expect(nameOf(press({ code: 'KeyP', key: 'з', altKey: true }), keys, typing)).toBe('note')
  expect(nameOf(press({ code: 'KeyK', key: 'k', ctrlKey: true }), keys, typing)).toBe('commands')
  expect(nameOf(press({ code: 'Slash', key: '?', shiftKey: true }), keys, typing)).toBeNull()
  expect(nameOf(press({ code: 'F6', key: 'F6' }), keys, typing)).toBe('regions')
  const mine = keysOf({ take: { code: 'KeyY' } })
  expect(nameOf(press({ code: 'KeyY', key: 'y' }), mine, typing)).toBeNull()
  expect(nameOf(press({ code: 'KeyY', key: 'y' }), mine, anywhere)).toBe('take')
})

test('AltGr that arrives as Ctrl with Alt types its character', () => {
  const both = { code: 'KeyE', ctrlKey: true, altKey: true }
  expect(nameOf(press({ ...both, key: '€' }), keys, typing)).toBeNull()
  expect(nameOf(press({ ...both, key: 'e' }), keys, typing)).toBe('resolveAndNext')
  expect(nameOf(press({ ...both, key: '€' }), keys, anywhere)).toBe('resolveAndNext')
})

test('in a text field on a Mac, Option types a character and Ctrl+Option is a command', () => {
  const inText = { isApple: true, isTyping: true }
  const option = { code: 'KeyP', key: 'π', altKey: true }
  expect(nameOf(press(option), keys, inText)).toBeNull()
  expect(nameOf(press(option), keys, { isApple: true, isTyping: false })).toBe('note')
  const withControl = press({ ...option, ctrlKey: true })
  expect(nameOf(withControl, keys, inText)).toBe('note')
  expect(nameOf(withControl, keys, { isApple: true, isTyping: false })).toBe('note')
  const withCommand = { code: 'KeyE', key: '´', altKey: true, metaKey: true }
  expect(nameOf(press(withCommand), keys, inText)).toBe('resolveAndNext')
  expect(nameOf(press({ ...withCommand, ctrlKey: true }), keys, inText)).toBeNull()
})

test('AltGr and composed input never trigger a shortcut', () => {
  const euro = { code: 'KeyE', key: '€', ctrlKey: true, altKey: true, isAltGraph: true }
  expect(nameOf(press(euro), keys, typing)).toBeNull()
  const composed = { code: 'KeyK', key: 'k', ctrlKey: true, isComposing: true }
  expect(nameOf(press(composed), keys, anywhere)).toBeNull()
})

test('Cmd replaces Ctrl on Apple keyboards', () => {
  const apple = { isApple: true, isTyping: false }
  expect(nameOf(press({ code: 'KeyK', key: 'k', metaKey: true }), keys, apple)).toBe('commands')
  expect(nameOf(press({ code: 'KeyK', key: 'k', ctrlKey: true }), keys, apple)).toBeNull()
  expect(formatChord({ code: 'KeyE', mod: true, alt: true }, true)).toBe('⌘⌥E')
  expect(formatChord({ code: 'KeyE', mod: true, alt: true }, false)).toBe('Ctrl+Alt+E')
})

test('the question mark is found by its character', () => {
  expect(nameOf(press({ code: 'Minus', key: '?', shiftKey: true }), keys, anywhere)).toBe('help')
})

test('a shortcut can be changed or disabled', () => {
  const mine = keysOf({ take: { code: 'KeyY', alt: true }, resolve: null })
  expect(nameOf(press({ code: 'KeyY', altKey: true }), mine, anywhere)).toBe('take')
  expect(nameOf(press({ code: 'KeyT', altKey: true }), mine, anywhere)).toBeNull()
  expect(nameOf(press({ code: 'KeyE', altKey: true }), mine, anywhere)).toBeNull()
})

test('no two default shortcuts clash, and clashes made by users are found', () => {
  for (const name of KEY_NAMES) expect(clashOf(keys, name)).toBeNull()
  expect(clashOf(keysOf({ take: { code: 'KeyE', alt: true } }), 'take')).toBe('resolve')
})

test('modifiers alone are not a shortcut', () => {
  expect(chordOf(press({ code: 'AltLeft', altKey: true }), false)).toBeNull()
  expect(chordOf(press({ code: 'KeyY', altKey: true }), false)).toEqual({ code: 'KeyY', alt: true })
})

test('invalid preferences get their defaults', () => {
  const kept = {
    keys: { take: { code: 5 }, resolve: null, nothing: null, note: { code: 'KeyN', alt: true } },
    sendKey: 'space',
    sounds: { message: false, other: true },
  }
  expect(preferencesOf(kept)).toEqual({
    keys: { resolve: null, note: { code: 'KeyN', alt: true } },
    sendKey: 'enter',
    sounds: { message: false, unassigned: false, assigned: true },
    notifies: false,
    isStarted: false,
    hasOwnPassword: false,
  })
  expect(preferencesOf('what?').sendKey).toBe('enter')
})
