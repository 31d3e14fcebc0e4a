// A reporter that prints only the measurements and failures.
import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter'

export default class OnlyFigures implements Reporter {
  printsToStdio() {
    return true
  }

  onStdOut(text: string | Buffer) {
    process.stdout.write(String(text).trimStart())
  }

  onTestEnd(test: TestCase, result: TestResult) {
    if (result.status === 'passed' || result.status === 'skipped') return
    process.stdout.write(`${test.title}: ${result.error?.message ?? result.status}\n`)
  }
}
