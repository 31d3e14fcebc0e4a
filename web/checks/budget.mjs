// Checks the compressed size of what a browser loads before it shows something.
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const DIST = process.env.CONFAB_WEB_OUT ?? 'dist/dashboard'
const ASSETS = `${DIST}/assets`
const WIDGET = process.env.CONFAB_WIDGET_OUT ?? 'dist/widget'
/** Maximum sizes in kB: everything that the sign-in screen and the inbox load at first, the
 * widget's loader and app, and the widget with all its parts in one language. */
const BUDGETS = { 'sign-in': 140, inbox: 260, loader: 2, widget: 23, 'whole widget': 30 }
const OTHERS_MORE = 40

const files = readdirSync(ASSETS)
const text = (file) => readFileSync(`${ASSETS}/${file}`, 'utf8')
const zipped = (path) => gzipSync(readFileSync(path), { level: 9 }).length
const size = (file) => zipped(`${ASSETS}/${file}`)
const sum = (parts) => [...parts].reduce((sum, file) => sum + size(file), 0)

/** Returns a file's name without its hash, which may contain a hyphen. */
const nameOf = (file) => file.replace(/-.{8}\.(js|css)$/, '')

/** Returns a script with all scripts that it imports statically, and their styles. */
function closure(file, found = new Set()) {
  if (found.has(file)) return found
  found.add(file)
  const styles = files.filter((it) => it.endsWith('.css') && nameOf(it) === nameOf(file))
  for (const style of styles) found.add(style)
  for (const [, imported] of text(file).matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) {
    closure(imported, found)
  }
  return found
}

const named = (name) => files.find((file) => file.startsWith(`${name}-`) && file.endsWith('.js'))
const html = readFileSync(`${DIST}/index.html`, 'utf8')
const first = new Set(files.filter((file) => html.includes(file)))
for (const file of [...first].filter((it) => it.endsWith('.js'))) closure(file, first)
// A user loads one language only: count the larger one.
const languages = files.filter((file) => /^(en|id)-.+\.js$/.test(file))
const entries = [...first].filter((file) => file.endsWith('.js')).map(text)
const firstWords = languages.filter((file) => entries.some((entry) => entry.includes(file)))
first.add(firstWords.toSorted((a, b) => size(b) - size(a))[0])
const inbox = new Set([...first, ...closure(named('Shell'))])
const measured = { 'sign-in': sum(first), inbox: sum(inbox) }
// All other scripts are loaded on demand. Their budget is what they add to the inbox.
const others = files.filter((it) => it.endsWith('.js') && !inbox.has(it) && !languages.includes(it))
for (const file of others) {
  const more = [...closure(file)].filter((it) => !inbox.has(it))
  measured[nameOf(file)] = sum(more)
}
const loader = readFileSync(`${WIDGET}/widget.js`, 'utf8')
const ofWidget = readdirSync(`${WIDGET}/assets`)
const app = ofWidget.find((file) => loader.includes(file))
const inAll = (files) => files.reduce((sum, file) => sum + zipped(`${WIDGET}/assets/${file}`), 0)
// Count the static imports of the app, which are loaded with it, and not its dynamic ones.
const statics = readFileSync(`${WIDGET}/assets/${app}`, 'utf8').matchAll(/from"\.\/([^"]+)"/g)
const ofApp = [app, ...[...statics].map((match) => match[1])]
const ofAll = ofWidget.filter((file) => /^(app|more|id|realtime).*js$/.test(file))
for (const [name, bytes] of [
  ['loader', zipped(`${WIDGET}/widget.js`)],
  ['widget', inAll(ofApp)],
  ['whole widget', inAll(ofAll)],
]) {
  measured[name] = bytes
}
let isTooMuch = false
for (const [screen, bytes] of Object.entries(measured)) {
  const kB = Math.round(bytes / 100) / 10
  const budget = BUDGETS[screen] ?? OTHERS_MORE
  process.stdout.write(`${screen}: ${kB} kB of ${budget}\n`)
  isTooMuch ||= kB > budget
}
process.exit(isTooMuch ? 1 : 0)
