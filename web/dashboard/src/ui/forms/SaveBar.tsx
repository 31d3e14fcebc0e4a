import { Button, Group } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useIsOffline } from '../../live/useIsOffline'
import classes from './SaveBar.module.css'

interface SaveBarProps {
  /** Label of the save button, for screens with several forms. */
  label?: string
  isChanged: boolean
  /** Whether the values are valid. */
  isValid?: boolean
  isSaving: boolean
  onUndo: () => void
}

/** The save and undo buttons of a form. Saving is disabled while the server is unreachable; the
 * draft is not lost. */
export function SaveBar({ label, isChanged, isValid = true, isSaving, onUndo }: SaveBarProps) {
  const words = useTranslations('office')
  const isOffline = useIsOffline()
  return (
    <Group className={classes.bar ?? ''}>
      <Button type="submit" loading={isSaving} disabled={!isChanged || !isValid || isOffline}>
        {label ?? words('save')}
      </Button>
      <Button variant="default" disabled={!isChanged} onClick={onUndo}>
        {words('undo')}
      </Button>
    </Group>
  )
}
