// Who types: this customer, told to others sparingly; and others, until they stop or go silent.

import { signal } from '@preact/signals'

const AGAIN_MS = 3000
const STOPS_MS = 4000
/** Somebody of whom nothing is heard any more does not type. */
const SILENT_MS = 8000

export class Typing {
  /** The name of who types, or nothing. */
  readonly typist = signal('')
  private told = 0
  private stopping: ReturnType<typeof setTimeout> | undefined
  private silent: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly tell: (isTyping: boolean) => void) {}

  /** A letter was typed here. */
  typed(): void {
    clearTimeout(this.stopping)
    this.stopping = setTimeout(() => this.stopped(), STOPS_MS)
    if (Date.now() - this.told < AGAIN_MS) return
    this.told = Date.now()
    this.tell(true)
  }

  stopped(): void {
    clearTimeout(this.stopping)
    if (this.told === 0) return
    this.told = 0
    this.tell(false)
  }

  /** Somebody else types, or stopped. */
  heard(name: string): void {
    clearTimeout(this.silent)
    this.typist.value = name
    if (name) this.silent = setTimeout(() => this.heard(''), SILENT_MS)
  }
}
