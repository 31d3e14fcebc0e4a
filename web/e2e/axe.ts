// What is in the way of somebody who does not see, does not point, or sees little.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What axe finds on the page as it stands, and whether it can be scrolled sideways. */
export async function troubles(page: Page): Promise<string[]> {
  // Parts that fade in have no contrast until they are there, and what changes begins a frame later.
  await page.evaluate(() => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const ends = (it: Animation) => Number.isFinite(it.effect?.getComputedTiming().endTime)
    const stillness = async () => {
      for (;;) {
        await frame().then(frame)
        // A document does not tell of what is in shadow roots, as the widget is.
        const shadows = [...document.querySelectorAll('*')].flatMap((it) => it.shadowRoot ?? [])
        const all = [document, ...shadows].flatMap((it) => it.getAnimations())
        const running = all.filter((it) => it.playState === 'running')
        const ending = running.filter(ends)
        if (ending.length === 0) return
        await Promise.allSettled(ending.map((it) => it.finished))
      }
    }
    // What is hidden ends never.
    return Promise.race([stillness(), new Promise<void>((end) => setTimeout(end, 2000))])
  })
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe)
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

/**
 * The same at several widths in both schemes. A scheme changes colours and a width the places, so
 * both schemes are looked at on the widest, and on the narrower ones they take turns.
 */
export async function troublesAnywhere(page: Page, widths = [1440, 390, 320]): Promise<string[]> {
  const seen: string[] = []
  const height = page.viewportSize()?.height ?? 800
  for (const [place, width] of widths.entries()) {
    await page.setViewportSize({ width, height })
    const schemes =
      place === 0 ? (['light', 'dark'] as const) : ([place % 2 ? 'dark' : 'light'] as const)
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await isShownIn(page, colorScheme)
      seen.push(...(await troubles(page)).map((it) => `${width} ${colorScheme} ${it}`))
    }
  }
  await page.setViewportSize({ width: 1440, height })
  return seen
}

/** The dashboard follows the scheme by a script of its own, a moment after the styles did. */
const isShownIn = (page: Page, scheme: string) =>
  page.waitForFunction((scheme) => {
    const shown = document.documentElement.dataset.mantineColorScheme
    return shown === undefined || shown === scheme
  }, scheme)
