import { Button, Group } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useIsAway } from '../live/useIsAway'
import classes from './SaveBar.module.css'

interface SaveBarProps {
  /** Label of the save button, for screens with several forms. */
  label?: string
  isChanged: boolean
  /** Whether the values are valid. */
  isFine?: boolean
  isSaving: boolean
  onUndo: () => void
}

/** The save and undo buttons of a form. Saving is disabled while the server is unreachable; the
 * draft is not lost. */
export function SaveBar({ label, isChanged, isFine = true, isSaving, onUndo }: SaveBarProps) {
  const words = useTranslations('office')
  const isAway = useIsAway()
  return (
    <Group className={classes.bar ?? ''}>
      <Button type="submit" loading={isSaving} disabled={!isChanged || !isFine || isAway}>
        {label ?? words('save')}
      </Button>
      <Button variant="default" disabled={!isChanged} onClick={onUndo}>
        {words('undo')}
      </Button>
    </Group>
  )
}
