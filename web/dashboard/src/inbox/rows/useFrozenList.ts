import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import type { Row } from '../../app/shapes'
import { frozenRows, type ListSnapshot, snapshotOf } from './frozen_list'

const NONE_REMOVED: ReadonlySet<string> = new Set()

/** Freezes the order of a list while the pointer is over it or a row has the focus. Further pages
 * are still appended. */
export function useFrozenList(rows: Row[], area: RefObject<HTMLElement | null>, name: string) {
  const [snapshot, setSnapshot] = useState<{ of: string; order: ListSnapshot } | null>(null)
  const [removed, setRemoved] = useState<ReadonlySet<string>>(NONE_REMOVED)
  const shown = useRef<Row[]>(rows)
  const newest = useRef(rows)
  newest.current = rows
  useEffect(() => {
    const element = area.current
    if (!element) return
    let isOver = false
    const isFocused = () => element.querySelector(':focus-visible') !== null
    const update = () => {
      const isHeld = isOver || isFocused()
      setSnapshot((now) =>
        isHeld ? (now?.of === name ? now : { of: name, order: snapshotOf(newest.current) }) : null,
      )
    }
    const over = () => {
      isOver = true
      update()
    }
    const out = () => {
      isOver = false
      update()
    }
    // The new focus is known only after the `focusout` event.
    const updateSoon = () => queueMicrotask(update)
    element.addEventListener('pointerenter', over)
    element.addEventListener('pointerleave', out)
    element.addEventListener('focusin', update)
    element.addEventListener('focusout', updateSoon)
    return () => {
      element.removeEventListener('pointerenter', over)
      element.removeEventListener('pointerleave', out)
      element.removeEventListener('focusin', update)
      element.removeEventListener('focusout', updateSoon)
    }
  }, [area, name])
  const order = snapshot?.of === name ? snapshot.order : null
  const result = useMemo(
    () =>
      order === null
        ? { rows, more: [], news: 0 }
        : frozenRows(rows, order, shown.current, removed),
    [rows, order, removed],
  )
  useEffect(() => {
    shown.current = result.rows
    if (result.more.length === 0) return
    setSnapshot(
      (now) => now && { ...now, order: new Map([...now.order, ...snapshotOf(result.more)]) },
    )
  }, [result])
  /** Shows the current order of the list. */
  const release = () => setSnapshot((now) => now && { ...now, order: snapshotOf(rows) })
  /** Marks rooms that the agent removed from the list; they disappear even while the order is
   * frozen. */
  const markRemoved = (rooms: string[]) => setRemoved(new Set(rooms))
  return { rows: result.rows, news: result.news, release, markRemoved }
}
