// What several tests do as whoever sits before the page.
import { expect, type Page } from '@playwright/test'
import type { Server } from './server'

export const SARI = { email: 'sari@example.com', password: 'a password of hers' }

/** An agent called Sari. */
export async function makeSari(server: Server): Promise<void> {
  await server.agent('Sari Dewi', SARI.email, SARI.password)
}

/** Where the page is found: at a server, or at something before it. */
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

/** The row of a customer in the list on screen. */
export const row = (page: Page, name: string) =>
  page.getByRole('listitem').getByRole('link', { name: new RegExp(`^${name}`) })

/** Takes a customer who waits, so that one can answer. */
export async function take(page: Page, server: Place, name: string): Promise<void> {
  await page.goto(`${server.url}/dashboard/inbox/unassigned`)
  await row(page, name).click()
  await page.getByRole('button', { name: 'Take', exact: true }).first().click()
  await expect(page.getByRole('textbox', { name: 'Reply' })).toBeVisible()
}

/** What the page asks the server for from now on. Sockets that stand are no requests. */
export function requests(page: Page): string[] {
  const made: string[] = []
  page.on('request', (request) => made.push(`${request.method()} ${request.url()}`))
  page.on('websocket', (socket) => made.push(`SOCKET ${socket.url()}`))
  return made
}
