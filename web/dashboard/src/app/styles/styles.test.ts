import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCE = join(import.meta.dirname, '../..')
const STYLES = dirname(createRequire(import.meta.url).resolve('@mantine/core/styles/Text.css'))

const styled = new Set(readdirSync(STYLES).map((file) => file.replace('.css', '')))
const broughtBy = (text: string) =>
  [...text.matchAll(/styles\/(\w+)\.css/g)].map(([, name]) => name ?? '')
const usedBy = (text: string) =>
  [...text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)]
    .flatMap(([, names]) => names?.split(/[,\s]+/) ?? [])
    .filter((name) => styled.has(name))

test('each file imports the styles of its components, unless all pages have them', () => {
  const text = (file: string) => readFileSync(join(SOURCE, file), 'utf8')
  const everywhere = ['app/styles/styles.ts', 'app/styles/shell_styles.ts'].flatMap((file) =>
    broughtBy(text(file)),
  )
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  const bare = files
    .filter((file) => file.endsWith('.tsx'))
    .flatMap((file) => {
      const brought = new Set([...everywhere, ...broughtBy(text(file))])
      return usedBy(text(file))
        .filter((name) => !brought.has(name))
        .map((name) => `${file}: ${name}`)
    })
  expect(bare).toEqual([])
})
