import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CallError } from '../../../../shared/call'
import { given, refusedIn, wrongIn } from './filling'
import { firstFields, KINDS, laterFields, type ServiceWord } from './kinds'
import { isReached } from './reached'
import { SERVED } from './served'

interface Schema {
  properties: Record<string, unknown>
  required?: string[]
}

/** The server's own document. */
const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../openapi.json'), 'utf8'),
)

function found({ $ref }: { $ref: string }): Schema {
  return document.components.schemas[$ref.split('/').at(-1) ?? '']
}

/** What a call takes. */
function taken(path: string): Schema {
  return found(document.paths[path].post.requestBody.content['application/json'].schema)
}

/** The record that connecting a kind answers with. */
function shown(word: ServiceWord): Schema {
  const { content } = document.paths[`/api/v2/${word}/connect`].post.responses['200']
  const box = found(content['application/json'].schema).properties.data as Schema
  return found(box.properties[`${word}_channel`] as { $ref: string })
}

test('the kinds on screen are those that the server has', () => {
  const all = Object.keys(KINDS) as ServiceWord[]
  const built = all.filter((word) => document.paths[`/api/v2/${word}/connect`])
  expect([...SERVED].sort()).toEqual(built.sort())
})

describe.each(SERVED.map((word) => KINDS[word]))('$name', (kind) => {
  const path = `/api/v2/${kind.word}/connect`

  test('is asked for what the server takes, and for all that it needs', () => {
    const { properties, required = [] } = taken(path)
    const names = [...firstFields(kind), ...kind.options].map(({ name }) => name)
    for (const name of names) expect(Object.keys(properties)).toContain(name)
    for (const name of required) expect(names).toContain(name)
  })

  test('is shown by what its record has', () => {
    const has = Object.keys(shown(kind.word).properties)
    const names = [...laterFields(kind), ...kind.options].map(({ name }) => name)
    for (const name of [...names, kind.account]) expect(has).toContain(name)
    if (kind.isBrought) expect(has).toContain('webhook_url')
  })

  test('is changed by what the server takes', () => {
    const { properties } = taken(`${path}/{id}/update`)
    const names = [...laterFields(kind), ...kind.options].map(({ name }) => name)
    for (const name of [...names, 'name', 'is_active'])
      expect(Object.keys(properties)).toContain(name)
  })
})

const { fields } = KINDS.wa

test('what was copied with blanks is sent without them, and nothing that is empty', () => {
  const filled = { access_token: ' EAAG\n', business_id: '  ', else: 'x' }
  expect(given(fields, filled)).toEqual({ access_token: 'EAAG' })
})

test('a field is wrong if it is missing or looks otherwise', () => {
  const filled = { phone_number_id: '+62 811', access_token: 'EA AG' }
  expect(wrongIn(firstFields(KINDS.wa), filled)).toEqual({
    phone_number_id: 'wrong.phoneNumberId',
    access_token: 'wrong.blanks',
    app_secret: 'wrong.empty',
  })
  expect(wrongIn(laterFields(KINDS.wa), {}, true)).toEqual({})
  expect(wrongIn(KINDS.telegram.fields, { bot_token: '123:AAE_-x' })).toEqual({})
  expect(wrongIn(KINDS.telegram.fields, { bot_token: '@shop_bot' })).toEqual({
    bot_token: 'wrong.botToken',
  })
})

test('what the server refuses stands at its field, and the rest is said once', () => {
  const details = ['access_token is not good: WhatsApp does not take it.', 'Something else.']
  expect(refusedIn(new CallError(400, 'Wrong.', details), fields)).toEqual({
    fields: { access_token: 'WhatsApp does not take it.' },
    others: ['Something else.'],
  })
  expect(refusedIn(new CallError(503, 'No answer.'), fields).others).toEqual(['No answer.'])
  expect(refusedIn(null, fields)).toEqual({ fields: {}, others: [] })
})

test('services reach https addresses that are no machine of ones own', () => {
  for (const url of ['https://chat.example.com', 'https://10.0.0.1']) {
    expect(isReached(url), url).toBe(true)
  }
  const not = [
    'http://chat.example.com',
    'https://localhost',
    'https://127.0.0.1:8',
    'https://[::1]',
  ]
  for (const url of [...not, '', 'x']) expect(isReached(url), url).toBe(false)
})

test('an address whose mails are handed over needs no mailbox', () => {
  const filled = { address: 'help@shop.example', smtp_host: '127.0.0.1' }
  expect(wrongIn(firstFields(KINDS.email), filled)).toEqual({})
  expect(wrongIn(firstFields(KINDS.email), {})).toEqual({
    address: 'wrong.empty',
    smtp_host: 'wrong.empty',
  })
})
