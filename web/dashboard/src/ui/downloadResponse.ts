import { read } from '../../../shared/call'

/** Downloads a response as a file. It is fetched by script, because the session cookie is only
 * accepted with a header that a plain link does not send. */
export async function downloadResponse(path: string, name: string): Promise<void> {
  const answer = await fetch(path, { headers: { 'x-confab': '1' } })
  if (!answer.ok) return read(answer)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answer.blob())
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
