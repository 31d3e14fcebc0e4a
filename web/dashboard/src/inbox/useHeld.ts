import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import type { Row } from '../app/shapes'
import { held, type Standing, standingOf } from './held'

const NOTHING_SENT: ReadonlySet<string> = new Set()

/** Freezes the order of a list while the pointer is over it or a row has the focus. Further pages
 * are still appended. */
export function useHeld(rows: Row[], area: RefObject<HTMLElement | null>, name: string) {
  const [standing, setStanding] = useState<{ of: string; order: Standing } | null>(null)
  const [sent, setSent] = useState<ReadonlySet<string>>(NOTHING_SENT)
  const shown = useRef<Row[]>(rows)
  const newest = useRef(rows)
  newest.current = rows
  useEffect(() => {
    const element = area.current
    if (!element) return
    let isOver = false
    const isFocused = () => element.querySelector(':focus-visible') !== null
    const look = () => {
      const isHeld = isOver || isFocused()
      setStanding((now) =>
        isHeld ? (now?.of === name ? now : { of: name, order: standingOf(newest.current) }) : null,
      )
    }
    const over = () => {
      isOver = true
      look()
    }
    const out = () => {
      isOver = false
      look()
    }
    // The new focus is known only after the `focusout` event.
    const soon = () => queueMicrotask(look)
    element.addEventListener('pointerenter', over)
    element.addEventListener('pointerleave', out)
    element.addEventListener('focusin', look)
    element.addEventListener('focusout', soon)
    return () => {
      element.removeEventListener('pointerenter', over)
      element.removeEventListener('pointerleave', out)
      element.removeEventListener('focusin', look)
      element.removeEventListener('focusout', soon)
    }
  }, [area, name])
  const order = standing?.of === name ? standing.order : null
  const result = useMemo(
    () => (order === null ? { rows, more: [], news: 0 } : held(rows, order, shown.current, sent)),
    [rows, order, sent],
  )
  useEffect(() => {
    shown.current = result.rows
    if (result.more.length === 0) return
    setStanding(
      (now) => now && { ...now, order: new Map([...now.order, ...standingOf(result.more)]) },
    )
  }, [result])
  /** Shows the current order of the list. */
  const release = () => setStanding((now) => now && { ...now, order: standingOf(rows) })
  /** Marks rooms that the agent removed from the list; they disappear even while the order is
   * frozen. */
  const sendAway = (rooms: string[]) => setSent(new Set(rooms))
  return { rows: result.rows, news: result.news, release, sendAway }
}
