import './styles/styles'
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { Router } from 'wouter'
import { Gate } from './Gate'
import { nonce } from './nonce'
import { queries } from './queries'
import { theme } from './styles/theme'
import { type LoadedWords, WordsProvider } from './WordsProvider'

const colorScheme = localStorageColorSchemeManager({ key: 'confab-color-scheme' })

/** The root component: theme, words, query cache, router and sign-in gate. */
export function App({ words }: { words: LoadedWords }) {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorScheme}
      getStyleNonce={() => nonce}
    >
      <WordsProvider first={words}>
        <QueryClientProvider client={queries}>
          <Router base="/dashboard">
            <Gate />
          </Router>
        </QueryClientProvider>
      </WordsProvider>
    </MantineProvider>
  )
}
