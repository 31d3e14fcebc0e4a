import { CallError } from '../../../../../shared/call'
import type { UploadedFile } from '../../../app/shapes'

export interface Upload {
  done: Promise<UploadedFile>
  cancel: () => void
}

/** Uploads a file. Uses XMLHttpRequest because `fetch` does not report progress. */
export function upload(file: File, onProgress: (share: number) => void): Upload {
  const request = new XMLHttpRequest()
  const done = new Promise<UploadedFile>((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onerror = () => reject(new CallError(0, 'The server did not answer.'))
    request.onabort = () => reject(new DOMException('cancelled', 'AbortError'))
    request.onload = () => {
      const stored = fileIn(request.response)
      if (request.status >= 200 && request.status < 300 && stored) resolve(stored)
      else reject(new CallError(request.status, messageIn(request.response, request.status)))
    }
  })
  const form = new FormData()
  form.append('file', file, file.name)
  request.open('POST', '/api/v2/files')
  request.responseType = 'json'
  request.setRequestHeader('x-confab', '1')
  request.send(form)
  return { done, cancel: () => request.abort() }
}

interface Answer {
  data?: { file?: UploadedFile }
  errors?: { message?: string }
}

const fileIn = (answer: Answer | null) => answer?.data?.file ?? null

const messageIn = (answer: Answer | null, status: number) =>
  answer?.errors?.message ?? `The server answered ${status}.`
