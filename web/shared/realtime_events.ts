// `/realtime` as server-sent events, for networks that block WebSockets. Uses `fetch`, because an
// `EventSource` sends no headers and would reconnect with a used ticket.

/** Time without data after which the stream is canceled. The server sends a comment at shorter
 * intervals. */
export const SILENCE_MS = 40_000

export async function listen(
  url: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
  to: { onOpen: () => void; onText: (text: string) => void },
): Promise<number> {
  let status = 0
  let silence: ReturnType<typeof setTimeout> | undefined
  try {
    const answer = await fetch(url, {
      headers: { ...headers, accept: 'text/event-stream' },
      signal,
    })
    status = answer.status
    if (!answer.ok || !answer.body) return status
    to.onOpen()
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (;;) {
      clearTimeout(silence)
      silence = setTimeout(() => void reader.cancel(), SILENCE_MS)
      const { done, value } = await reader.read()
      if (done) return status
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('data:')) to.onText(line.slice(5))
    }
  } catch {
    // The connection broke, or the caller aborted it.
    return status
  } finally {
    clearTimeout(silence)
  }
}
