import { setNonce } from 'get-nonce'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { SHELL } from './app/Gate'
import { guardMarkup } from './app/guard'
import { loadMe, ME } from './app/me'
import { nonce } from './app/nonce'
import { queries } from './app/queries'
import { firstWords, wasSomebodyHere } from './app/Words'

guardMarkup()
setNonce(nonce)
// What comes first is asked for at once, and not one after the other. Whatever fails here is asked
// for again by whoever needs it, who says so, too.
void queries.prefetchQuery({ queryKey: ME, queryFn: loadMe })
if (wasSomebodyHere()) void queries.prefetchQuery(SHELL)
const root = document.getElementById('root')
// Until the words are here, the page shows what its document came with.
if (root) void firstWords().then((words) => createRoot(root).render(<App words={words} />))
