import { setNonce } from 'get-nonce'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { SHELL } from './app/Gate'
import { guardMarkup } from './app/guard'
import { loadMe, ME } from './app/me'
import { nonce } from './app/nonce'
import { queries } from './app/queries'
import { hasSignedInBefore, loadFirstWords } from './app/WordsProvider'

guardMarkup()
setNonce(nonce)
// Start loading the user and the frame at once, in parallel. Failed requests are repeated by the
// components that need them, which also show the error.
void queries.prefetchQuery({ queryKey: ME, queryFn: loadMe })
if (hasSignedInBefore()) void queries.prefetchQuery(SHELL)
const root = document.getElementById('root')
// Until the words are loaded, the page shows the HTML document's own mark.
if (root) void loadFirstWords().then((words) => createRoot(root).render(<App words={words} />))
