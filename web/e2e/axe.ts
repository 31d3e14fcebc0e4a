// What is in the way of somebody who does not see, does not point, or sees little.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What axe finds on the page as it stands, and whether it can be scrolled sideways. */
export async function troubles(page: Page): Promise<string[]> {
  // Parts that fade in have no contrast until they are there.
  await page.evaluate(() => {
    // Some go round for ever, and what is hidden ends never.
    const patience = new Promise((resolve) => setTimeout(resolve, 1000))
    const ended = Promise.allSettled(document.getAnimations().map((it) => it.finished))
    return Promise.race([ended.then(() => {}), patience.then(() => {})])
  })
  await page.evaluate(axe)
  const found = await page.evaluate(async (rules) => {
    // biome-ignore lint/suspicious/noExplicitAny: axe puts itself there
    const { violations } = await (window as any).axe.run(document, { runOnly: rules })
    return violations.map((it: { id: string; nodes: { html: string }[] }) => {
      return `${it.id}: ${it.nodes[0]?.html}`
    })
  }, RULES)
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
  return isWide ? [...found, 'scrolls sideways'] : found
}
