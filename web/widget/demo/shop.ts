// The demo's shop: an ordinary page that includes the widget by its one line.

import { fill, isDemoLanguage } from './fill'

// The server sets the page's language, because the widget reads it first.
const { lang } = document.documentElement
document.title = fill(isDemoLanguage(lang) ? lang : 'en').shop
