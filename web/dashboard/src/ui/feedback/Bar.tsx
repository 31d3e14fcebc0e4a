import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './Bar.module.css'

interface BarProps {
  /** Whether the problem affects the agent's work. */
  isBad?: boolean
  text: string
  /** Buttons that resolve the problem. */
  children?: ReactNode
}

/** A one-line bar above the page that reports a problem. */
export function Bar({ isBad = false, text, children }: BarProps) {
  const Icon = isBad ? IconAlertTriangle : IconInfoCircle
  return (
    <div className={classes.bar} data-is-bad={isBad}>
      <Icon className={classes.icon} size={18} aria-hidden />
      <span className={classes.text}>{text}</span>
      {children}
    </div>
  )
}
