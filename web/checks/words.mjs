// Checks that all languages have the same texts with the same arguments, and that the code contains
// no texts.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const WORDS = [
  'dashboard/words',
  'dashboard/admin_words',
  'widget/words',
  'widget/demo/words',
  'widget/preview/words',
]
const problems = []

function flat(tree, path = '') {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[path + key, value]] : flat(value, `${path}${key}.`),
  )
}

/** Returns the names of a text's arguments, sorted. */
function names(text) {
  return [...new Set([...text.matchAll(/\{\s*(\w+)\s*[,}]/g)].map((match) => match[1]))]
    .sort()
    .join(' ')
}

const read = (path) => new Map(flat(JSON.parse(readFileSync(path, 'utf8'))))
for (const folder of WORDS) {
  const english = read(join(folder, 'en.json'))
  for (const language of readdirSync(folder).filter((it) => it !== 'en.json')) {
    const path = join(folder, language)
    const words = read(path)
    for (const [key, text] of english) {
      if (!words.has(key)) problems.push(`${path} lacks ${key}`)
      else if (names(words.get(key)) !== names(text)) {
        problems.push(`${path} has other arguments in ${key}`)
      }
    }
    for (const key of words.keys())
      if (!english.has(key)) problems.push(`${path} has ${key} too many`)
  }
}

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((it) => it.isFile())
    .map((it) => join(it.parentPath, it.name))
}

// Text between tags is never translated.
const TEXT = /[^=]>\s*[A-Za-z][A-Za-z ,.'’]{2,}</
// Pages may be right-to-left, so styles may use logical properties only.
const SIDE = /(^|[^-\w])(left|right|margin-left|margin-right|padding-left|padding-right)\s*:/
for (const file of ['dashboard/src', 'widget'].flatMap(sources)) {
  readFileSync(file, 'utf8')
    .split('\n')
    .forEach((line, at) => {
      if (file.endsWith('.tsx') && TEXT.test(line))
        problems.push(`${file}:${at + 1} has a text in it`)
      if (file.endsWith('.css') && SIDE.test(line)) problems.push(`${file}:${at + 1} names a side`)
    })
}

for (const problem of problems) process.stderr.write(`${problem}\n`)
process.exit(problems.length === 0 ? 0 : 1)
