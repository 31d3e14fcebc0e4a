import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react'

interface ScrollPosition {
  top: number
  height: number
}

interface StickOptions {
  scroll: RefObject<HTMLDivElement | null>
  /** Height of the list's content, in pixels. */
  size: number
  nearPx: number
  /** Whether the list ends with the newest message of the conversation. */
  isEnd: boolean
  startsThere: boolean
}

/** Keeps a list scrolled to its end while its entries grow, until the user scrolls up. */
export function useStickToEnd({ scroll, size, nearPx, isEnd, startsThere }: StickOptions) {
  const isStuck = useRef(startsThere)
  const seen = useRef<ScrollPosition>({ top: 0, height: 0 })
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
      // A list that gets shorter scrolls up by itself, by at most the lost height.
      const shrunk = Math.max(0, height - scrollHeight)
      if (top - scrollTop > shrunk + 1) isStuck.current = false
      if (isEnd && scrollHeight - scrollTop - clientHeight < nearPx) isStuck.current = true
      seen.current = { top: scrollTop, height: scrollHeight }
    },
    [nearPx, isEnd],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the list changes its size
  useLayoutEffect(() => {
    if (isStuck.current) stick()
  }, [size, stick])
  return { stick, unstick, onScroll }
}
