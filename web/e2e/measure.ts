// How long things take in the page, by its own clock, and how figures are said.
import type { Page } from '@playwright/test'

/** Of figures the one that this part of them does not exceed. */
export function at(figures: number[], part: number): number {
  const sorted = figures.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

export const median = (figures: number[]) => at(figures, 0.5)

/** One line of the table: what was measured beside what it should be. */
export function say(what: string, figure: number, aim: number, unit = 'ms', beside = ''): void {
  const verdict = figure <= aim ? 'met' : 'MISSED'
  const number = `${figure.toFixed(unit === 'ms' ? 0 : 1)} ${unit}`
  const line = `${what.padEnd(46)} ${number.padStart(10)}   aim ${aim} ${unit}  ${verdict}`
  process.stdout.write(`\n${line}${beside && `   (${beside})`}\n`)
}

/** From pressing a link until these words are drawn in the conversation. */
export function opened(page: Page, link: string, words: string): Promise<number> {
  return page.evaluate(
    ([link, words]) =>
      new Promise<number>((resolve) => {
        const begun = performance.now()
        const look = () => {
          const drawn = [...document.querySelectorAll('[role=article], article')]
          if (drawn.some((it) => it.textContent?.includes(words ?? ''))) {
            requestAnimationFrame(() => resolve(performance.now() - begun))
          } else requestAnimationFrame(look)
        }
        document.querySelector<HTMLElement>(`a[href="${link}"]`)?.click()
        look()
      }),
    [link, words],
  )
}

/** Until the page first drew something of what it is about, from the press of the address. */
export function firstPaint(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          for (const { name, startTime } of list.getEntries()) {
            if (name === 'first-contentful-paint') resolve(startTime)
          }
        }).observe({ type: 'paint', buffered: true })
      }),
  )
}

/** Until the list first had a row, from the press of the address. */
export function firstRow(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const look = () => {
          if (document.querySelector('[role=listitem] a, li a[href*="/inbox/"]')) {
            resolve(performance.now())
          } else requestAnimationFrame(look)
        }
        look()
      }),
  )
}

export interface Frames {
  times: number[]
  /** Of each task that kept the page from answering for more than 50 ms. */
  longTasks: number[]
}

/** How long each frame takes, for so many seconds. */
export function frames(page: Page, seconds: number): Promise<Frames> {
  return page.evaluate(
    (seconds) =>
      new Promise<Frames>((resolve) => {
        const times: number[] = []
        const longTasks: number[] = []
        const watch = new PerformanceObserver((list) =>
          longTasks.push(...list.getEntries().map((it) => it.duration)),
        )
        watch.observe({ type: 'longtask' })
        let last = performance.now()
        const end = last + seconds * 1000
        const step = (now: number) => {
          times.push(now - last)
          last = now
          if (now < end) requestAnimationFrame(step)
          else resolve({ times, longTasks })
        }
        requestAnimationFrame(step)
      }),
    seconds,
  )
}

/** What the page's own objects take once what nobody needs is gone, in MB. */
export async function heap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize / 1_000_000
}
