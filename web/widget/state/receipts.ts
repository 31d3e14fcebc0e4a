// Reports the last received and read messages to the server. Positions only increase; several
// changes at once become one request.

import { compareIds } from '../../shared/thread'

const GATHER_MS = 250

export class Receipts {
  private received = '0'
  private read = '0'
  private sentReceived = '0'
  private sentRead = '0'
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly send: (upTo: {
      last_comment_read_id?: string
      last_comment_received_id?: string
    }) => Promise<void>,
  ) {}

  note(id: string, isRead: boolean): void {
    this.received = laterId(this.received, id)
    if (isRead) this.read = laterId(this.read, id)
    this.timer ??= setTimeout(() => void this.flush(), GATHER_MS)
  }

  reset(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.received = this.read = this.sentReceived = this.sentRead = '0'
  }

  private async flush(): Promise<void> {
    this.timer = undefined
    const { received, read } = this
    const isRead = compareIds(read, this.sentRead) > 0
    if (!isRead && compareIds(received, this.sentReceived) <= 0) return
    this.sentReceived = received
    this.sentRead = read
    // Reading implies receiving. The next report replaces a lost one.
    const upTo = isRead ? { last_comment_read_id: read } : { last_comment_received_id: received }
    await this.send(upTo).catch(() => {})
  }
}

export function laterId(a: string, b: string): string {
  return compareIds(a, b) > 0 ? a : b
}
