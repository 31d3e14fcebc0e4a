import { Button, Group } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useIsAway } from '../live/useIsAway'
import classes from './SaveBar.module.css'

interface SaveBarProps {
  /** Names what is saved, where a screen saves several things. */
  label?: string
  isChanged: boolean
  /** Whether it makes sense as it is. */
  isFine?: boolean
  isSaving: boolean
  onUndo: () => void
}

/** What a form ends with. Nothing can be saved while there is no network: the draft stays. */
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
