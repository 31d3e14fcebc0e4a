// Which conversation somebody looks at right now, in whichever tab: nothing rings for that one.

const KEPT_AS = 'confab-on-screen'

/** This tab shows a conversation, or none; it counts while the tab has the focus. */
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
