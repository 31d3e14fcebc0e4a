import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { useLocation, useRoute } from 'wouter'
import { usePreferences } from '../app/PreferencesProvider'
import type { SoundName } from '../app/preferences'
import type { Me, Row } from '../app/shapes'
import { useFrames } from '../live/LiveProvider'
import { notificationOf } from './notificationOf'
import { isOnScreen, trackOnScreen } from './onScreen'
import { play } from './sound'

/** Plays sounds and shows browser notifications, in one tab only. */
export function Notifier({ me }: { me: Me }) {
  const words = useTranslations('notify')
  const { preferences } = usePreferences()
  const [, go] = useLocation()
  const [, params] = useRoute('/inbox/:view/:room')
  const room = params?.room
  const isOurs = useIsNotifyingTab()
  useEffect(() => trackOnScreen(room), [room])
  useFrames((frame, before) => {
    if (frame.type !== 'room' || !isOurs.current) return
    const { row } = frame.data as { row: Row }
    const news = notificationOf(before, row, me)
    if (news === null || isOnScreen(row.room_id)) return
    if (preferences.sounds[news]) play(news)
    if (preferences.notifies && preferences.sounds[news]) show(news, row)
  })

  function show(news: SoundName, row: Row) {
    if (!('Notification' in window) || Notification.permission !== 'granted') return
    const title = words(news, { name: row.name })
    // One notification per conversation: a new one replaces the previous one.
    const shown = new Notification(title, {
      body: row.last_comment_text ?? '',
      tag: `confab-${row.room_id}`,
      silent: true,
    })
    shown.onclick = () => {
      window.focus()
      go(`/inbox/${news === 'unassigned' ? 'unassigned' : 'mine'}/${row.room_id}`)
      shown.close()
    }
  }
  return null
}

/** Tracks whether this is the tab that notifies. When it closes, another tab takes over. */
function useIsNotifyingTab() {
  const isOurs = useRef(false)
  useEffect(() => {
    if (!navigator.locks) {
      isOurs.current = true
      return
    }
    const waiting = new AbortController()
    let release = () => {}
    const kept = new Promise<void>((resolve) => {
      release = resolve
    })
    navigator.locks
      .request('confab-notify', { signal: waiting.signal }, () => {
        isOurs.current = true
        return kept
      })
      .catch(() => {})
    return () => {
      isOurs.current = false
      waiting.abort()
      release()
    }
  }, [])
  return isOurs
}
