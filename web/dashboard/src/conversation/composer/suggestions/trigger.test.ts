import { expect, test } from 'vitest'
import { triggerAt } from './trigger'

const at = (text: string) => triggerAt(text, text.length)

test('a slash at the start or after white space triggers canned replies', () => {
  expect(at('/')).toEqual({ kind: 'canned', from: 0, query: '' })
  expect(at('Hello,\n/tha')).toEqual({ kind: 'canned', from: 7, query: 'tha' })
  expect(at('Hello /tha')).toEqual({ kind: 'canned', from: 6, query: 'tha' })
  expect(at('Hello\t/')).toEqual({ kind: 'canned', from: 6, query: '' })
  for (const text of ['and/or', 'https://a.example/b', '/thanks and more', '//']) {
    expect(at(text), text).toBeNull()
  }
})

test('a colon at the start of a word triggers emoji', () => {
  expect(at('Thanks :smi')).toEqual({ kind: 'emoji', from: 7, query: 'smi' })
  for (const text of ['at 10:30', 'Note: ', ':)', 'a:b', 'https://']) {
    expect(at(text), text).toBeNull()
  }
})

test('only the text before the caret counts', () => {
  expect(triggerAt('Hi :smi there', 7)?.query).toBe('smi')
  expect(triggerAt('Hi :smi there', 13)).toBeNull()
})
