// Measurements by the page's own clock, and their output.
import type { Page } from '@playwright/test'

/** Returns the quantile `part` of the figures. */
export function at(figures: number[], part: number): number {
  const sorted = figures.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

export const median = (figures: number[]) => at(figures, 0.5)

/** Prints one line of the table: figure, aim and verdict. */
export function say(what: string, figure: number, aim: number, unit = 'ms', beside = ''): void {
  const verdict = figure <= aim ? 'met' : 'MISSED'
  const number = `${figure.toFixed(unit === 'ms' ? 0 : 1)} ${unit}`
  const line = `${what.padEnd(46)} ${number.padStart(10)}   aim ${aim} ${unit}  ${verdict}`
  process.stdout.write(`\n${line}${beside && `   (${beside})`}\n`)
}

/** Returns the ms from clicking a link until a text is drawn in the conversation. */
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

/** Returns the ms from navigation until the first contentful paint. */
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

/** Returns the ms from navigation until the list has its first row. */
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
  /** Durations in ms of tasks that blocked the page for more than 50 ms. */
  longTasks: number[]
}

/** Measures the duration of each frame for a number of seconds. */
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

/** Returns the size of the page's heap after a garbage collection, in MB. */
export async function heap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize / 1_000_000
}
