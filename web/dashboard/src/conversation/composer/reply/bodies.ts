import type { Comment, UploadedFile } from '../../../app/shapes'

/** Returns the request bodies for a text and its files. With one file and no quote, the text is the
 * file's caption; otherwise it is a message before the files. */
export function bodiesOf(
  text: string,
  files: readonly UploadedFile[],
  quoted: Comment | null,
): Record<string, unknown>[] {
  const message = text.trim()
  const [only] = files
  if (only && files.length === 1 && !quoted) return [attachment(only, message)]
  const texts = message === '' ? [] : [quoted ? reply(message, quoted) : { type: 'text', message }]
  return [...texts, ...files.map((file) => attachment(file, ''))]
}

function reply(text: string, quoted: Comment): Record<string, unknown> {
  return { type: 'reply', message: text, payload: { text, replied_comment_id: quoted.id } }
}

function attachment(file: UploadedFile, caption: string): Record<string, unknown> {
  const payload = { url: file.url, file_name: file.name, size: file.size, caption }
  return { type: 'file_attachment', message: caption, payload }
}
