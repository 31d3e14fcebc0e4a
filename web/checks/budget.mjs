// How many bytes a browser fetches before it shows something, compressed as a server sends them.
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const ASSETS = 'dist/dashboard/assets'
/** kB of all that a screen needs at first. */
const BUDGETS = { 'sign-in': 140, inbox: 260 }

const html = readFileSync('dist/dashboard/index.html', 'utf8')
const size = (file) => gzipSync(readFileSync(`${ASSETS}/${file}`), { level: 9 }).length
const files = readdirSync(ASSETS)
const first = files.filter((file) => html.includes(file))
const parts = files.filter((file) => /\.(js|css)$/.test(file))
const measured = {
  'sign-in': first.reduce((sum, file) => sum + size(file), 0),
  inbox: parts.reduce((sum, file) => sum + size(file), 0),
}
let isTooMuch = false
for (const [screen, bytes] of Object.entries(measured)) {
  const kB = Math.round(bytes / 100) / 10
  process.stdout.write(`${screen}: ${kB} kB of ${BUDGETS[screen]}\n`)
  isTooMuch ||= kB > BUDGETS[screen]
}
process.exit(isTooMuch ? 1 : 0)
