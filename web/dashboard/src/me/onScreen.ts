// The conversation in the focused tab, shared by all tabs: it causes no notifications.

const KEPT_AS = 'confab-on-screen'

/** Records the conversation that this tab shows, while the tab has the focus. Returns a function
 * that removes the record. */
export function showOnScreen(room: string | undefined): () => void {
  const tell = () => {
    if (document.hasFocus() && room !== undefined) localStorage.setItem(KEPT_AS, room)
    else if (localStorage.getItem(KEPT_AS) === room) localStorage.removeItem(KEPT_AS)
  }
  const leave = () => {
    if (localStorage.getItem(KEPT_AS) === room) localStorage.removeItem(KEPT_AS)
  }
  tell()
  addEventListener('focus', tell)
  addEventListener('blur', leave)
  addEventListener('pagehide', leave)
  return () => {
    leave()
    removeEventListener('focus', tell)
    removeEventListener('blur', leave)
    removeEventListener('pagehide', leave)
  }
}

export const isOnScreen = (room: string): boolean => localStorage.getItem(KEPT_AS) === room
