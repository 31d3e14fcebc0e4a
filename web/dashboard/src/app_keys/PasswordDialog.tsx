import { Alert, Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { CallError } from '../../../shared/call'
import type { Me } from '../app/shapes'
import { useIsOffline } from '../live/useIsOffline'
import { Dialog } from '../ui/Dialog'
import { NumberField } from '../ui/forms/NumberField'
import type { KeyAction } from './steps'

const OVERLAP_FIRST = 7
const OVERLAP_MAX = 30

/** The request body of a key action. */
export interface KeyActionBody {
  password: string
  overlap_days?: number
}

interface PasswordDialogProps {
  me: Me
  action: KeyAction
  onClose: () => void
  /** Runs the action; the dialog shows its error. */
  onSubmit: (proof: KeyActionBody) => Promise<void>
}

/** The dialog that asks for the password before a key action. The password is never stored outside
 * its field. */
export function PasswordDialog({ me, action, onClose, onSubmit }: PasswordDialogProps) {
  const words = useTranslations('appKeys')
  const office = useTranslations('office')
  const isOffline = useIsOffline()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [days, setDays] = useState<number | null>(OVERLAP_FIRST)
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const password = String(new FormData(event.currentTarget).get('password') ?? '')
    setBusy(true)
    setError(null)
    try {
      await onSubmit(action === 'promote' ? { password, overlap_days: days ?? 0 } : { password })
    } catch (error) {
      setError(error)
      setBusy(false)
    }
  }
  return (
    <Dialog isOpen onClose={onClose} title={words(`ask.${action}.title`)}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Text size="sm">{words(`ask.${action}.help`)}</Text>
          {action === 'promote' && (
            <NumberField
              label={words('overlap')}
              description={words('overlapHelp', { max: OVERLAP_MAX })}
              value={days}
              min={0}
              max={OVERLAP_MAX}
              required
              onChange={setDays}
            />
          )}
          {error !== null && (
            <Alert color="red" variant="outline" role="alert">
              {reason(error, words('unreachable'))}
            </Alert>
          )}
          {/* Password managers look for the account's user name. */}
          <input type="hidden" name="username" autoComplete="username" value={me.user.email} />
          <PasswordInput
            data-autofocus
            name="password"
            label={words('password')}
            autoComplete="current-password"
            required
            withAsterisk={false}
            visibilityToggleButtonProps={{ 'aria-label': words('showPassword') }}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {office('cancel')}
            </Button>
            <Button
              type="submit"
              loading={isBusy}
              disabled={isOffline}
              {...(action === 'rotate' && { color: 'red.9' })}
            >
              {words(`ask.${action}.do`)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

function reason(error: unknown, unreachable: string): string {
  if (!(error instanceof CallError) || error.status === 0) return unreachable
  return error.details[0] ?? error.message
}
