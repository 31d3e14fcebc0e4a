import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CallError } from '../../../../shared/call'
import { errorsIn, serverErrorsIn, trimmedValues } from './field_values'
import { isReachable } from './isReachable'
import { firstFields, KINDS, laterFields, type ProviderName } from './kinds'
import { SHOWN_PROVIDERS } from './shown_providers'

interface Schema {
  properties: Record<string, unknown>
  required?: string[]
}

/** The server's OpenAPI document. */
const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../openapi.json'), 'utf8'),
)

function found({ $ref }: { $ref: string }): Schema {
  return document.components.schemas[$ref.split('/').at(-1) ?? '']
}

/** Returns the schema of a call's request body. */
function taken(path: string): Schema {
  return found(document.paths[path].post.requestBody.content['application/json'].schema)
}

/** Returns the schema of the record that connecting a kind returns. */
function shown(word: ProviderName): Schema {
  const { content } = document.paths[`/api/v2/${word}/connect`].post.responses['200']
  const box = found(content['application/json'].schema).properties.data as Schema
  return found(box.properties[`${word}_channel`] as { $ref: string })
}

test('the shown kinds are those of the server', () => {
  const all = Object.keys(KINDS) as ProviderName[]
  const built = all.filter((word) => document.paths[`/api/v2/${word}/connect`])
  expect([...SHOWN_PROVIDERS].sort()).toEqual(built.sort())
})

describe.each(SHOWN_PROVIDERS.map((word) => KINDS[word]))('$name', (kind) => {
  const path = `/api/v2/${kind.word}/connect`

  test('has only fields that the server accepts, and all that it requires', () => {
    const { properties, required = [] } = taken(path)
    const names = [...firstFields(kind), ...kind.options].map(({ name }) => name)
    for (const name of names) expect(Object.keys(properties)).toContain(name)
    for (const name of required) expect(names).toContain(name)
  })

  test('shows only fields that its record has', () => {
    const has = Object.keys(shown(kind.word).properties)
    const names = [...laterFields(kind), ...kind.options].map(({ name }) => name)
    for (const name of [...names, kind.account]) expect(has).toContain(name)
    if (kind.needsPublicUrl) expect(has).toContain('webhook_url')
  })

  test('changes only fields that the server accepts', () => {
    const { properties } = taken(`${path}/{id}/update`)
    const names = [...laterFields(kind), ...kind.options].map(({ name }) => name)
    for (const name of [...names, 'name', 'is_active'])
      expect(Object.keys(properties)).toContain(name)
  })
})

const { fields } = KINDS.wa

test('values are sent trimmed, and empty ones are left out', () => {
  const filled = { access_token: ' EAAG\n', business_id: '  ', else: 'x' }
  expect(trimmedValues(fields, filled)).toEqual({ access_token: 'EAAG' })
})

test('a field is invalid if it is missing or does not match its pattern', () => {
  const filled = { phone_number_id: '+62 811', access_token: 'EA AG' }
  expect(errorsIn(firstFields(KINDS.wa), filled)).toEqual({
    phone_number_id: 'wrong.phoneNumberId',
    access_token: 'wrong.blanks',
    app_secret: 'wrong.empty',
  })
  expect(errorsIn(laterFields(KINDS.wa), {}, true)).toEqual({})
  expect(errorsIn(KINDS.telegram.fields, { bot_token: '123:AAE_-x' })).toEqual({})
  expect(errorsIn(KINDS.telegram.fields, { bot_token: '@shop_bot' })).toEqual({
    bot_token: 'wrong.botToken',
  })
})

test("the server's errors are assigned to their fields, and the others are listed once", () => {
  const details = ['access_token is not good: WhatsApp does not take it.', 'Something else.']
  expect(serverErrorsIn(new CallError(400, 'Wrong.', details), fields)).toEqual({
    fields: { access_token: 'WhatsApp does not take it.' },
    others: ['Something else.'],
  })
  expect(serverErrorsIn(new CallError(503, 'No answer.'), fields).others).toEqual(['No answer.'])
  expect(serverErrorsIn(null, fields)).toEqual({ fields: {}, others: [] })
})

test('providers can reach https addresses except local ones', () => {
  for (const url of ['https://chat.example.com', 'https://10.0.0.1']) {
    expect(isReachable(url), url).toBe(true)
  }
  const not = [
    'http://chat.example.com',
    'https://localhost',
    'https://127.0.0.1:8',
    'https://[::1]',
  ]
  for (const url of [...not, '', 'x']) expect(isReachable(url), url).toBe(false)
})

test('an email address whose mail is delivered directly needs no mailbox', () => {
  const filled = { address: 'help@shop.example', smtp_host: '127.0.0.1' }
  expect(errorsIn(firstFields(KINDS.email), filled)).toEqual({})
  expect(errorsIn(firstFields(KINDS.email), {})).toEqual({
    address: 'wrong.empty',
    smtp_host: 'wrong.empty',
  })
})
