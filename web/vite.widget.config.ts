import { resolve } from 'node:path'
import { build, defineConfig, type InlineConfig, type Plugin } from 'vite'

const OUT = process.env.CONFAB_WIDGET_OUT ?? '../dist/widget'

/** Options shared by all three builds. */
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

/** Builds the loader and the pages after the app, because both contain the app's file name. The
 * loader is a single script without globals of its own. */
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
  // Import texts as a whole, because the app needs all of them.
  json: { namedExports: false, stringify: false },
  build: {
    ...output,
    emptyOutDir: true,
    lib: { entry: resolve('widget/app.tsx'), formats: ['es'] },
    rolldownOptions: {
      preserveEntrySignatures: 'allow-extension',
      output: {
        minify: true,
        // Annotations are for bundlers, and no bundler processes these files.
        comments: { annotation: false },
        entryFileNames: 'assets/app-[hash].js',
        chunkFileNames: 'assets/[name]-[hash].js',
      },
    },
  },
})
