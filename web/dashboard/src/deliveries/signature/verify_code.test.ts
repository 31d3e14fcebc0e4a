import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { VERIFY_CODE } from './verify_code'

test('the programs equal those of docs/webhooks.md, which other tests run', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../../docs/webhooks.md'), 'utf8')
  expect(VERIFY_CODE.map(({ name }) => name)).toEqual(['Rust', 'JavaScript', 'Python', 'Go', 'PHP'])
  for (const { code } of VERIFY_CODE) expect(page).toContain(code)
})
