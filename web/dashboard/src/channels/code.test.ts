import { expect, test } from 'vitest'
import { codeFor, LANGUAGES, sendAddress } from './code'

test('each program contains the URL and reads the key from the environment', () => {
  const address = sendAddress('https://chat.example.com', 'shop')
  expect(address).toBe('https://chat.example.com/shop/api/v2/custom_channel/send')
  for (const language of LANGUAGES) {
    const code = codeFor(language, address)
    expect(code).toContain(address)
    expect(code).toContain('CHANNEL_KEY')
  }
})
