// `/realtime` as server-sent events, for networks that let no WebSocket through. By `fetch`, because
// an `EventSource` sends no headers and would come back with a ticket that was used.

/** The server says something before that long; a proxy that died says nothing for ever. */
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
    // Broken off, or given up by whoever listened.
    return status
  } finally {
    clearTimeout(silence)
  }
}
