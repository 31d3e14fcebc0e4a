import { expect, test } from 'vitest'
import type { Comment } from '../../../app/shapes'
import { bodiesOf } from './bodies'

const file = (name: string) => ({ name, size: 3, url: `https://chat.example/files/${name}` })
const types = (text: string, names: string[], quoted: Comment | null = null) =>
  bodiesOf(text, names.map(file), quoted).map((body) => `${body.type}: ${body.message}`)

test('a text without files becomes a text message', () => {
  expect(types(' hello ', [])).toEqual(['text: hello'])
  expect(types('  ', [])).toEqual([])
})

test('a text with one file becomes its caption', () => {
  expect(types('look', ['a.png'])).toEqual(['file_attachment: look'])
})

test('a text with several files becomes a message before them', () => {
  expect(types('look', ['a.png', 'b.png'])).toEqual([
    'text: look',
    'file_attachment: ',
    'file_attachment: ',
  ])
})

test('a reply with a quote contains the id of the quoted message', () => {
  const quoted = { id: 42 } as Comment
  expect(bodiesOf('yes', [], quoted)).toEqual([
    { type: 'reply', message: 'yes', payload: { text: 'yes', replied_comment_id: 42 } },
  ])
  expect(types('', ['a.png'], quoted)).toEqual(['file_attachment: '])
})
