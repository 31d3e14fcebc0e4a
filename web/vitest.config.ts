import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { environment: 'happy-dom', include: ['{shared,dashboard,widget}/**/*.test.{ts,tsx}'] },
})
