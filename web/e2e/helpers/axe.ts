// Accessibility checks with axe.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Returns the violations that axe finds on the page, and whether it scrolls sideways. */
export async function troubles(page: Page): Promise<string[]> {
  // Parts that fade in have no contrast yet, and transitions start a frame later.
  await page.evaluate(() => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const ends = (it: Animation) => Number.isFinite(it.effect?.getComputedTiming().endTime)
    const stillness = async () => {
      for (;;) {
        await frame().then(frame)
        // A document does not list the animations within shadow roots, such as the widget's.
        const shadows = [...document.querySelectorAll('*')].flatMap((it) => it.shadowRoot ?? [])
        const all = [document, ...shadows].flatMap((it) => it.getAnimations())
        const running = all.filter((it) => it.playState === 'running')
        const ending = running.filter(ends)
        if (ending.length === 0) return
        await Promise.allSettled(ending.map((it) => it.finished))
      }
    }
    // Hidden animations never end.
    return Promise.race([stillness(), new Promise<void>((end) => setTimeout(end, 2000))])
  })
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe)
  const found = await page.evaluate(async (rules) => {
    // biome-ignore lint/suspicious/noExplicitAny: a global set by axe
    const { violations } = await (window as any).axe.run(document, { runOnly: rules })
    return violations.map((it: { id: string; nodes: { html: string }[] }) => {
      return `${it.id}: ${it.nodes[0]?.html}`
    })
  }, RULES)
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
  return isWide ? [...found, 'scrolls sideways'] : found
}

/** Runs the checks at several widths. The color scheme changes colors and the width changes
 * positions, so both schemes are checked at the widest width, and the narrower ones alternate. */
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

/** The dashboard applies the scheme by script, after the styles. */
const isShownIn = (page: Page, scheme: string) =>
  page.waitForFunction((scheme) => {
    const shown = document.documentElement.dataset.mantineColorScheme
    return shown === undefined || shown === scheme
  }, scheme)
