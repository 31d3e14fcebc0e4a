// The demo's shop: a page like any other, with the one line that brings the widget.

import { fill, isDemoLanguage } from './fill'

// The server says it in the page, before the widget reads it.
const { lang } = document.documentElement
document.title = fill(isDemoLanguage(lang) ? lang : 'en').shop
