import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react'

interface Seen {
  top: number
  height: number
}

interface StickOptions {
  scroll: RefObject<HTMLDivElement | null>
  /** How long the list is. */
  size: number
  nearPx: number
  /** Whether the list ends where the conversation does. */
  isEnd: boolean
  startsThere: boolean
}

/** Keeps a list at its end until somebody scrolls away from it, however its entries grow once they
 * are drawn. */
export function useStick({ scroll, size, nearPx, isEnd, startsThere }: StickOptions) {
  const isStuck = useRef(startsThere)
  const seen = useRef<Seen>({ top: 0, height: 0 })
  const stick = useCallback(() => {
    isStuck.current = true
    const element = scroll.current
    if (element) element.scrollTop = element.scrollHeight
  }, [scroll])
  const unstick = useCallback(() => {
    isStuck.current = false
  }, [])
  const onScroll = useCallback(
    ({ scrollTop, scrollHeight, clientHeight }: HTMLDivElement) => {
      const { top, height } = seen.current
      // A list that becomes shorter moves up by itself, by as much at most.
      const shrunk = Math.max(0, height - scrollHeight)
      if (top - scrollTop > shrunk + 1) isStuck.current = false
      if (isEnd && scrollHeight - scrollTop - clientHeight < nearPx) isStuck.current = true
      seen.current = { top: scrollTop, height: scrollHeight }
    },
    [nearPx, isEnd],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the list grows or shrinks
  useLayoutEffect(() => {
    if (isStuck.current) stick()
  }, [size, stick])
  return { stick, unstick, onScroll }
}
