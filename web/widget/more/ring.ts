// The sound for a message that no tab shows. Only one tab plays it.

import type { StateStore } from '../state/state_store'

/** Time in which a tab that shows the message records it as seen. */
const GRACE_MS = 300

/** Plays a sound for a message, unless a tab shows it or has played the sound already. */
export function ring(store: StateStore, id: string, isSeen: () => boolean): void {
  setTimeout(() => {
    void store.withLock(async () => {
      const { rang, isSilent } = store.read()
      if (isSilent || isSeen() || rang === id) return
      store.change({ rang: id })
      sound()
    })
  }, GRACE_MS)
}

/** Plays two notes. They are synthesized, because a file would need another entry in the page's
 * content security policy. */
function sound(): void {
  try {
    const context = new AudioContext()
    const volume = context.createGain()
    volume.connect(context.destination)
    volume.gain.setValueAtTime(0.08, context.currentTime)
    volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + 0.35)
    const note = context.createOscillator()
    note.frequency.setValueAtTime(660, context.currentTime)
    note.frequency.setValueAtTime(880, context.currentTime + 0.12)
    note.connect(volume)
    note.onended = () => void context.close()
    note.start()
    note.stop(context.currentTime + 0.35)
  } catch {
    // Some browsers do not allow audio.
  }
}
