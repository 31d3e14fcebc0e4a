import { expect, test } from 'vitest'
import type { Comment } from '../../app/shapes'
import { bodiesOf } from './bodies'

const file = (name: string) => ({ name, size: 3, url: `https://chat.example/files/${name}` })
const types = (text: string, names: string[], quoted: Comment | null = null) =>
  bodiesOf(text, names.map(file), quoted).map((body) => `${body.type}: ${body.message}`)

test('a text alone is a text', () => {
  expect(types(' hello ', [])).toEqual(['text: hello'])
  expect(types('  ', [])).toEqual([])
})

test('a text beside one file is its caption', () => {
  expect(types('look', ['a.png'])).toEqual(['file_attachment: look'])
})

test('a text beside several files stands before them', () => {
  expect(types('look', ['a.png', 'b.png'])).toEqual([
    'text: look',
    'file_attachment: ',
    'file_attachment: ',
  ])
})

test('an answer with a quote names what it answers', () => {
  const quoted = { id: 42 } as Comment
  expect(bodiesOf('yes', [], quoted)).toEqual([
    { type: 'reply', message: 'yes', payload: { text: 'yes', replied_comment_id: 42 } },
  ])
  expect(types('', ['a.png'], quoted)).toEqual(['file_attachment: '])
})
