// Typing indicators: reports the customer's own at intervals, and shows those of others until they
// stop or time out.

import { signal } from '@preact/signals'

const AGAIN_MS = 3000
const STOPS_MS = 4000
/** Time after the last typing frame until a typist is considered to have stopped. */
const SILENT_MS = 8000

export class Typing {
  /** Name of the typing participant, or an empty string. */
  readonly typist = signal('')
  private sentAt = 0
  private stopping: ReturnType<typeof setTimeout> | undefined
  private silent: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly send: (isTyping: boolean) => void) {}

  /** Called for each input of the customer. */
  typed(): void {
    clearTimeout(this.stopping)
    this.stopping = setTimeout(() => this.stopped(), STOPS_MS)
    if (Date.now() - this.sentAt < AGAIN_MS) return
    this.sentAt = Date.now()
    this.send(true)
  }

  stopped(): void {
    clearTimeout(this.stopping)
    if (this.sentAt === 0) return
    this.sentAt = 0
    this.send(false)
  }

  /** Shows that a participant is typing; an empty name means that they stopped. */
  show(name: string): void {
    clearTimeout(this.silent)
    this.typist.value = name
    if (name) this.silent = setTimeout(() => this.show(''), SILENT_MS)
  }
}
