import { setNonce } from 'get-nonce'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { guardMarkup } from './app/guard'
import { nonce } from './app/nonce'

guardMarkup()
setNonce(nonce)
const root = document.getElementById('root')
if (root) createRoot(root).render(<App />)
