import { fileSize } from '../../shared/text'
import type { Chat } from '../state/chat'
import { uploadsOf } from './uploads'

/** Uploads chosen, pasted or dropped files; shows the reason for files that are too large or of
 * another type. */
export function uploadFiles(chat: Chat, files: FileList | null | undefined): void {
  const { max_bytes, types } = chat.settings.value.upload
  const uploads = uploadsOf(chat)
  for (const file of files ?? []) {
    const { name } = file
    if (file.size > max_bytes) {
      const size = fileSize(max_bytes, chat.language.value)
      uploads.refuse(file, chat.translate('fileTooBig', { name, size }))
    } else if (!isAccepted(file, types)) {
      uploads.refuse(file, chat.translate('fileKind', { name }))
    } else {
      uploads.add(file)
    }
  }
}

/** Whether the server accepts the file's type. Settings list media types (`image/png`, `image/*`)
 * or extensions (`png`); an empty list allows all. */
function isAccepted({ name, type }: File, types: string[]): boolean {
  const ending = name.toLowerCase().split('.').pop()
  return (
    types.length === 0 ||
    types.some((it) =>
      it.includes('/')
        ? it === type || (it.endsWith('/*') && type.startsWith(it.slice(0, -1)))
        : it.replace(/^\./, '').toLowerCase() === ending,
    )
  )
}
