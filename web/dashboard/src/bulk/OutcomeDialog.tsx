import { Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import type { PickedRooms } from '../inbox/rows/picking'
import { Dialog } from '../ui/Dialog'
import classes from './Bulk.module.css'
import type { Outcome } from './bulk_actions'

interface OutcomeDialogProps {
  outcome: Outcome
  /** Progress text while the action is undone. */
  progress: string | null
  onUndo: (rooms: PickedRooms) => void
  onClose: () => void
}

/** The results of a bulk action, failures first. */
export function OutcomeDialog({ outcome, progress, onUndo, onClose }: OutcomeDialogProps) {
  const words = useTranslations('bulk')
  const { action, rows } = outcome
  const done = rows.filter((row) => row.why === null)
  const failed = rows.filter((row) => row.why !== null)
  return (
    <Dialog isOpen onClose={onClose} title={words(`did.${action}`, { count: done.length })}>
      <Stack gap="sm">
        {failed.length > 0 && <Text fw={600}>{words('failed', { count: failed.length })}</Text>}
        <ul className={classes.rows} aria-label={words('outcome')}>
          {[...failed, ...done].map(({ room, name, why }) => (
            <li key={room} className={classes.row} data-is-bad={why !== null}>
              <Sign isDone={why === null} />
              <span>
                <Text component="span" fw={600} size="sm">
                  {name}
                </Text>{' '}
                <Text component="span" size="sm">
                  {why ?? words('done')}
                </Text>
              </span>
            </li>
          ))}
        </ul>
        <Text role="status" size="sm">
          {progress}
        </Text>
        <Group justify="flex-end">
          {action === 'resolve' && done.length > 0 && (
            <Button
              variant="default"
              loading={progress !== null}
              onClick={() => onUndo(new Map(done.map(({ room, name }) => [room, name])))}
            >
              {words('undo')}
            </Button>
          )}
          <Button onClick={onClose} data-autofocus>
            {words('close')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

function Sign({ isDone }: { isDone: boolean }) {
  const Icon = isDone ? IconCheck : IconAlertTriangle
  return <Icon size={16} aria-hidden className={classes.sign} />
}
