// Actions of users that several tests share.
import { expect, type Page } from '@playwright/test'
import type { Server } from './server'

export const SARI = { email: 'sari@example.com', password: 'a password of hers' }

export async function makeSari(server: Server): Promise<void> {
  await server.agent('Sari Dewi', SARI.email, SARI.password)
}

/** The base URL of the page: the server's, or that of a proxy. */
type Place = Pick<Server, 'url'>

export async function signIn(page: Page, server: Place, { email, password } = SARI) {
  await page.goto(`${server.url}/dashboard/`)
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('link', { name: 'Inbox' })).toBeVisible()
}

export const admin = (server: Server) => ({
  email: 'admin@localhost',
  password: server.adminPassword,
})

/** Returns the row of a customer in the visible list. */
export const row = (page: Page, name: string) =>
  page.getByRole('listitem').getByRole('link', { name: new RegExp(`^${name}`) })

/** Takes a waiting customer and opens the conversation. */
export async function take(page: Page, server: Place, name: string): Promise<void> {
  await page.goto(`${server.url}/dashboard/inbox/unassigned`)
  await row(page, name).click()
  await page.getByRole('button', { name: 'Take', exact: true }).first().click()
  await expect(page.getByRole('textbox', { name: 'Reply' })).toBeVisible()
}

/** Collects the requests of the page from now on. Frames of open WebSockets are not requests. */
export function requests(page: Page): string[] {
  const made: string[] = []
  page.on('request', (request) => made.push(`${request.method()} ${request.url()}`))
  page.on('websocket', (socket) => made.push(`SOCKET ${socket.url()}`))
  return made
}
