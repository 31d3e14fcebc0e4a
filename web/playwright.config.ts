import { execFileSync } from 'node:child_process'
import { defineConfig } from '@playwright/test'

// The one without windows, if it is there: it draws nothing that no test looks at, and takes a third
// less time.
const found = execFileSync('sh', ['-c', 'which chromium-headless-shell || which chromium'])
const chromium = found.toString().trim()

export default defineConfig({
  testDir: 'e2e',
  // `scripts/web-pictures` takes the pictures of the documents instead, `scripts/web-bench` measures.
  testMatch: `**/*.${process.env.CONFAB_BROWSER_RUN ?? 'spec'}.ts`,
  // Another language changes words, and hardly ever what is in anybody's way: `make test-long`
  // looks at both.
  grepInvert: process.env.CONFAB_BROWSER_ALL ? /$^/ : /, in id$/,
  // One waits for the server while the other draws; each file has a server of its own.
  workers: 2,
  // A browser on a busy machine loses its way now and then; what needed a second try is said.
  retries: 1,
  timeout: 60_000,
  // Machines that build meanwhile are slow; nothing is waited for longer than it takes.
  expect: { timeout: 15_000 },
  reporter: 'line',
  outputDir: '../target/playwright',
  use: {
    locale: 'en-GB',
    timezoneId: 'Asia/Jakarta',
    trace: 'on-first-retry',
    launchOptions: {
      executablePath: chromium,
      // Root has no sandbox; the rest keeps the browser from calling anybody by itself.
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
      ],
    },
  },
})
