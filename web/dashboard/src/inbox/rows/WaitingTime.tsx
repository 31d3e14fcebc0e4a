import { IconClock, IconClockExclamation } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import type { Me } from '../../app/shapes'
import { useNow } from '../../ui/useNow'
import classes from '../Inbox.module.css'

/** Default waiting times after which a customer counts as late and very late, unless the app's
 * settings say otherwise. In seconds. */
const AMBER_S = 120
const RED_S = 300

/** The customer's waiting time, updated each second. */
export function WaitingTime({ me, since }: { me: Me; since: string }) {
  const words = useTranslations('inbox')
  const seconds = Math.max((useNow(1000) - Date.parse(since)) / 1000, 0)
  const late = lateness(seconds, me.app)
  const Icon = late === 'none' ? IconClock : IconClockExclamation
  return (
    <span className={classes.waits} data-late={late}>
      <Icon size={14} aria-hidden />
      {words('waits', { time: formatClock(seconds) })}
    </span>
  )
}

export function lateness(seconds: number, app: Me['app']): 'none' | 'late' | 'very' {
  if (seconds >= (app.waiting_red_s ?? RED_S)) return 'very'
  return seconds >= (app.waiting_amber_s ?? AMBER_S) ? 'late' : 'none'
}

/** Formats a duration as `1:05:09` or `5:09`. */
export function formatClock(seconds: number): string {
  const whole = Math.floor(seconds)
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  return shown
    .map((part, at) => (at === 0 ? String(part) : String(part).padStart(2, '0')))
    .join(':')
}
