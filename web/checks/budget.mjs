// How many bytes a browser fetches before it shows something, compressed as a server sends them.
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const DIST = process.env.CONFAB_WEB_OUT ?? 'dist/dashboard'
const ASSETS = `${DIST}/assets`
const WIDGET = process.env.CONFAB_WIDGET_OUT ?? 'dist/widget'
/** kB of all that a screen needs at first; of any other screen, what it adds to the inbox; and of the
 * widget with all its parts, in one language. */
const BUDGETS = { 'sign-in': 140, inbox: 260, loader: 2, widget: 23, 'whole widget': 30 }
const OTHERS_MORE = 40

const files = readdirSync(ASSETS)
const text = (file) => readFileSync(`${ASSETS}/${file}`, 'utf8')
const zipped = (path) => gzipSync(readFileSync(path), { level: 9 }).length
const size = (file) => zipped(`${ASSETS}/${file}`)
const sum = (parts) => [...parts].reduce((sum, file) => sum + size(file), 0)

/** Without its hash: eight letters, a hyphen perhaps among them. */
const nameOf = (file) => file.replace(/-.{8}\.(js|css)$/, '')

/** A part with everything that it imports at once, and its styles. */
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

const named = (name) => files.find((file) => nameOf(file) === name && file.endsWith('.js'))
const html = readFileSync(`${DIST}/index.html`, 'utf8')
const first = new Set(files.filter((file) => html.includes(file)))
for (const file of [...first].filter((it) => it.endsWith('.js'))) closure(file, first)
// Whoever reads the page reads it in one language.
const languages = files.filter(
  (file) => ['en', 'id'].includes(nameOf(file)) && file.endsWith('.js'),
)
first.add(languages.toSorted((a, b) => size(b) - size(a))[0])
const inbox = new Set([...first, ...closure(named('Shell'))])
const measured = { 'sign-in': sum(first), inbox: sum(inbox) }
// Whatever else is there is fetched when it is asked for.
const others = files.filter((it) => it.endsWith('.js') && !inbox.has(it) && !languages.includes(it))
for (const file of others) {
  const more = [...closure(file)].filter((it) => !inbox.has(it))
  measured[nameOf(file)] = sum(more)
}
const loader = readFileSync(`${WIDGET}/widget.js`, 'utf8')
const ofWidget = readdirSync(`${WIDGET}/assets`)
const app = ofWidget.find((file) => loader.includes(file))
const inAll = (files) => files.reduce((sum, file) => sum + zipped(`${WIDGET}/assets/${file}`), 0)
// What the app names by `import … from` comes with it; what it names by `import()` comes after it.
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
