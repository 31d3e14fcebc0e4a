// One short sound for a message that nobody saw, from one tab.

import type { Keeper } from '../state/kept'

/** A tab that shows the message says so within this time. */
const GRACE_MS = 300

/** Rings once for a message, unless some tab shows it or rang for it already. */
export function ring(keeper: Keeper, id: string, isSeen: () => boolean): void {
  setTimeout(() => {
    void keeper.alone(async () => {
      const { rang, isSilent } = keeper.read()
      if (isSilent || isSeen() || rang === id) return
      keeper.change({ rang: id })
      sound()
    })
  }, GRACE_MS)
}

/** Two notes, made here: a file would need another line in the page's policy. */
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
    // A browser that lets nobody ring.
  }
}
