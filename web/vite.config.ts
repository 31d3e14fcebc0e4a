import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// The server used by `make web-dev`.
const server = process.env.CONFAB_URL ?? 'http://127.0.0.1:8787'
const proxied = { target: server, ws: true }

export default defineConfig({
  root: 'dashboard',
  base: '/dashboard/',
  plugins: [react()],
  // The server replaces this by a new nonce for each response.
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: process.env.CONFAB_WEB_OUT ?? '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': proxied, '/files': proxied, '/realtime': proxied } },
})
