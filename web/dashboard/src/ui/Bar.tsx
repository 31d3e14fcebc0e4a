import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './Bar.module.css'

interface BarProps {
  /** Whether work is hindered by it. */
  isBad?: boolean
  text: string
  /** What can be done about it. */
  children?: ReactNode
}

/** One line over the page that says what is wrong, and why. */
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
