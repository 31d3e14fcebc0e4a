// How many bytes a browser fetches before it shows something, compressed as a server sends them.
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const ASSETS = 'dist/dashboard/assets'
const WIDGET = process.env.CONFAB_WIDGET_OUT ?? 'dist/widget'
/** kB of all that a screen needs at first; and of the widget with all its parts, in one language. */
const BUDGETS = { 'sign-in': 140, inbox: 260, loader: 2, widget: 23, 'whole widget': 30 }

const html = readFileSync('dist/dashboard/index.html', 'utf8')
const zipped = (path) => gzipSync(readFileSync(path), { level: 9 }).length
const size = (file) => zipped(`${ASSETS}/${file}`)
const files = readdirSync(ASSETS)
const first = files.filter((file) => html.includes(file))
const parts = files.filter((file) => /\.(js|css)$/.test(file))
const loader = readFileSync(`${WIDGET}/widget.js`, 'utf8')
const ofWidget = readdirSync(`${WIDGET}/assets`)
const app = ofWidget.find((file) => loader.includes(file))
const sum = (files) => files.reduce((sum, file) => sum + zipped(`${WIDGET}/assets/${file}`), 0)
// What the app names by `import … from` comes with it; what it names by `import()` comes after it.
const statics = readFileSync(`${WIDGET}/assets/${app}`, 'utf8').matchAll(/from"\.\/([^"]+)"/g)
const measured = {
  'sign-in': first.reduce((sum, file) => sum + size(file), 0),
  inbox: parts.reduce((sum, file) => sum + size(file), 0),
  loader: zipped(`${WIDGET}/widget.js`),
  widget: sum([app, ...[...statics].map((match) => match[1])]),
  'whole widget': sum(ofWidget.filter((file) => /^(app|more|id|realtime).*js$/.test(file))),
}
let isTooMuch = false
for (const [screen, bytes] of Object.entries(measured)) {
  const kB = Math.round(bytes / 100) / 10
  process.stdout.write(`${screen}: ${kB} kB of ${BUDGETS[screen]}\n`)
  isTooMuch ||= kB > BUDGETS[screen]
}
process.exit(isTooMuch ? 1 : 0)
