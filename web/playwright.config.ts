import { execFileSync } from 'node:child_process'
import { defineConfig } from '@playwright/test'

// Prefer the headless shell: tests take a third less time without windows.
const found = execFileSync('sh', ['-c', 'which chromium-headless-shell || which chromium'])
const chromium = found.toString().trim()

export default defineConfig({
  testDir: 'e2e',
  // Alternatives to the tests: `scripts/web-pictures` takes screenshots, `scripts/web-bench`
  // measures.
  testMatch: `**/*.${process.env.CONFAB_BROWSER_RUN ?? 'spec'}.ts`,
  // Another language changes texts and rarely the accessibility. Only `make test-long` checks both.
  grepInvert: process.env.CONFAB_BROWSER_ALL ? /$^/ : /, in id$/,
  // Two workers, because tests mostly wait for their server. Each file has its own server.
  workers: 2,
  // Browsers on a busy machine fail now and then. Playwright reports retried tests as flaky.
  retries: 1,
  timeout: 60_000,
  // Long enough for a machine that builds at the same time. Passing assertions do not wait.
  expect: { timeout: 15_000 },
  reporter: 'line',
  outputDir: '../target/playwright',
  use: {
    locale: 'en-GB',
    timezoneId: 'Asia/Jakarta',
    trace: 'on-first-retry',
    launchOptions: {
      executablePath: chromium,
      // Root cannot use the sandbox; the other flags disable the browser's own network requests.
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
      ],
    },
  },
})
