// Reports the last received and read messages to the server. Positions only increase; several
// changes at once become one request.

import { compareIds } from '../../shared/thread'

const GATHER_MS = 250

export class Receipts {
  private received = '0'
  private read = '0'
  private toldReceived = '0'
  private toldRead = '0'
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly tell: (upTo: {
      last_comment_read_id?: string
      last_comment_received_id?: string
    }) => Promise<void>,
  ) {}

  note(id: string, isRead: boolean): void {
    this.received = later(this.received, id)
    if (isRead) this.read = later(this.read, id)
    this.timer ??= setTimeout(() => void this.flush(), GATHER_MS)
  }

  reset(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.received = this.read = this.toldReceived = this.toldRead = '0'
  }

  private async flush(): Promise<void> {
    this.timer = undefined
    const { received, read } = this
    const isRead = compareIds(read, this.toldRead) > 0
    if (!isRead && compareIds(received, this.toldReceived) <= 0) return
    this.toldReceived = received
    this.toldRead = read
    // Reading implies receiving. The next report replaces a lost one.
    const upTo = isRead ? { last_comment_read_id: read } : { last_comment_received_id: received }
    await this.tell(upTo).catch(() => {})
  }
}

export function later(a: string, b: string): string {
  return compareIds(a, b) > 0 ? a : b
}
