import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { launcher, Street, said, write } from './helpers/widget_helpers'

// The example page of the README.

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')

test('the page with the four lines of the README has a working chat', async ({ page }) => {
  const block = /## Chat on a page[\s\S]*?```html\n([\s\S]*?)```/.exec(README)?.[1] ?? ''
  expect(block.trim().split('\n')).toHaveLength(4)
  const street = await Street.open()
  const body = block
    .replace('<app id>', street.server.appId)
    .replace('http://127.0.0.1:8787', street.server.url)
  expect(body).not.toMatch(/<app id>|:8787/)
  street.shop.pages.set('/', { body })
  await page.goto(street.shop.url)
  await launcher(page).click()
  await write(page, 'Hello?')
  await expect(page.getByText(/· Sent$/)).toBeVisible()
  await street.server.reply(await street.roomIn(page), 'Good morning!')
  await expect(said(page, 'Good morning!')).toBeVisible()
  await street.close()
})
