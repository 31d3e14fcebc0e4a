// The conversation in the focused tab, shared by all tabs: it causes no notifications.

const ON_SCREEN_KEY = 'confab-on-screen'

/** Records the conversation that this tab shows, while the tab has the focus. Returns a function
 * that removes the record. */
export function trackOnScreen(room: string | undefined): () => void {
  const record = () => {
    if (document.hasFocus() && room !== undefined) localStorage.setItem(ON_SCREEN_KEY, room)
    else if (localStorage.getItem(ON_SCREEN_KEY) === room) localStorage.removeItem(ON_SCREEN_KEY)
  }
  const leave = () => {
    if (localStorage.getItem(ON_SCREEN_KEY) === room) localStorage.removeItem(ON_SCREEN_KEY)
  }
  record()
  addEventListener('focus', record)
  addEventListener('blur', leave)
  addEventListener('pagehide', leave)
  return () => {
    leave()
    removeEventListener('focus', record)
    removeEventListener('blur', leave)
    removeEventListener('pagehide', leave)
  }
}

export const isOnScreen = (room: string): boolean => localStorage.getItem(ON_SCREEN_KEY) === room
