import { expect, test } from 'vitest'
import { find } from './emoji'

const signs = (text: string, language: 'en' | 'id') => find(text, language).map((it) => it.sign)

test('an emoji is found by the beginning of a word, in either language', () => {
  expect(signs('thumbs', 'en')).toEqual(['👍', '👎'])
  expect(signs('jempol', 'id')).toEqual(['👍', '👎'])
  expect(signs('JEMPOL', 'en')).toEqual(['👍', '👎'])
  expect(signs('humbs', 'en')).toEqual([])
})

test('every emoji is listed once, with a sign and a name in each language', () => {
  const all = find('', 'en')
  expect(new Set(all.map((it) => it.sign)).size).toBe(all.length)
  for (const { sign, name } of all) {
    expect(sign).toMatch(/\p{Extended_Pictographic}|\p{Regional_Indicator}/u)
    expect(name.en && name.id).toBeTruthy()
  }
})
