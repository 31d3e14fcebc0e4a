import { resolve } from 'node:path'
import { build, defineConfig, type InlineConfig, type Plugin } from 'vite'

const OUT = process.env.CONFAB_WIDGET_OUT ?? '../dist/widget'

/** What all three builds share. */
const common = {
  root: 'widget',
  base: '/widget/',
  oxc: { jsx: { importSource: 'preact' } },
} satisfies InlineConfig
const output = {
  outDir: OUT,
  target: 'es2022',
  assetsInlineLimit: 0,
  modulePreload: false,
  reportCompressedSize: false,
} as const

/** When the app has its name: the loader, one plain script with no names of its own outside, and the
 * pages. Both load the app by that name. */
function loaderAndPages(): Plugin {
  let appFile = ''
  return {
    name: 'confab-loader-and-pages',
    generateBundle(_, files) {
      const app = Object.values(files).find((it) => it.type === 'chunk' && it.isEntry)
      appFile = app?.fileName.replace('assets/', '') ?? ''
    },
    async writeBundle() {
      const rest: InlineConfig = {
        ...common,
        configFile: false,
        logLevel: 'warn',
        define: { APP_FILE: JSON.stringify(appFile) },
      }
      const entry = resolve('widget/loader.ts')
      const lib = { entry, formats: ['iife' as const], name: 'loader', fileName: () => 'widget.js' }
      await build({ ...rest, build: { ...output, emptyOutDir: false, lib } })
      const input = ['chat', 'demo', 'shop'].map((name) => `widget/${name}.html`)
      await build({ ...rest, build: { ...output, emptyOutDir: false, rolldownOptions: { input } } })
    },
  }
}

export default defineConfig({
  ...common,
  plugins: [loaderAndPages()],
  // Whole, not word by word: the app needs all of them.
  json: { namedExports: false, stringify: false },
  build: {
    ...output,
    emptyOutDir: true,
    lib: { entry: resolve('widget/app.tsx'), formats: ['es'] },
    rolldownOptions: {
      preserveEntrySignatures: 'allow-extension',
      output: {
        minify: true,
        // They are for bundlers, and no bundler reads this.
        comments: { annotation: false },
        entryFileNames: 'assets/app-[hash].js',
        chunkFileNames: 'assets/[name]-[hash].js',
      },
    },
  },
})
