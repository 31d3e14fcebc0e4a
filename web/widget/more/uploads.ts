// Running uploads. A file is uploaded first and then posted by the outbox, because only the message
// can be stored across page loads.

import { signal } from '@preact/signals'
import { backoff } from '../../shared/backoff'
import { CallError, read } from '../../shared/call'
import { randomId } from '../../shared/ids'
import type { Chat } from '../state/chat'

export interface Upload {
  id: string
  file: File
  /** Progress from 0 to 1. */
  share: number
  /** Reason why the file was rejected, by the server or before the upload. */
  refused?: string
}

interface UploadedFile {
  name: string
  size: number
  url: string
}

class Uploads {
  readonly all = signal<readonly Upload[]>([])
  private readonly cancels = new Map<string, AbortController>()

  constructor(private readonly chat: Chat) {}

  add(file: File): void {
    const upload = { id: randomId(), file, share: 0 }
    this.all.value = [...this.all.value, upload]
    void this.send(upload)
  }

  /** Lists a file that is not uploaded, with the reason. */
  refuse(file: File, refused: string): void {
    this.all.value = [...this.all.value, { id: randomId(), file, share: 0, refused }]
  }

  remove(id: string): void {
    this.cancels.get(id)?.abort()
    this.all.value = this.all.value.filter((it) => it.id !== id)
  }

  private async send({ id, file }: Upload): Promise<void> {
    const cancel = new AbortController()
    this.cancels.set(id, cancel)
    for (let failures = 0; !cancel.signal.aborted; ) {
      try {
        const { name, size, url } = await this.carry(id, file, cancel.signal)
        this.remove(id)
        const payload = { url, caption: '', file_name: name, size }
        this.chat.post({ type: 'file_attachment', comment: '', payload })
        return
      } catch (error) {
        if (error instanceof CallError && !error.isPassing) {
          this.change(id, { refused: error.details[0] ?? error.message })
          return
        }
        failures += 1
        this.change(id, { share: 0 })
        await new Promise((resolve) => setTimeout(resolve, backoff(failures)))
      }
    }
  }

  /** Uploads a file. Uses `XMLHttpRequest`, because `fetch` reports no upload progress. */
  private async carry(id: string, file: File, signal: AbortSignal): Promise<UploadedFile> {
    const { url, headers } = await this.chat.uploadAddress()
    const request = new XMLHttpRequest()
    request.open('POST', url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => this.change(id, { share: loaded / total })
    signal.addEventListener('abort', () => request.abort())
    const form = new FormData()
    form.append('file', file)
    const answer = await new Promise<Response>((resolve, reject) => {
      request.onerror = () => reject(new CallError(0, ''))
      request.onload = () => resolve(new Response(request.responseText, request))
      request.send(form)
    })
    return (await read<{ results: { file: UploadedFile } }>(answer)).results.file
  }

  private change(id: string, changes: Partial<Upload>): void {
    this.all.value = this.all.value.map((it) => (it.id === id ? { ...it, ...changes } : it))
  }
}

const all = new WeakMap<Chat, Uploads>()

export function uploadsOf(chat: Chat): Uploads {
  const uploads = all.get(chat) ?? new Uploads(chat)
  all.set(chat, uploads)
  return uploads
}
