import { Alert, Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { CallError, call } from '../../../shared/call'
import { clearCache, KEEP_SIGNED_IN_KEY, ME } from '../app/me'
import { usePreferences } from '../app/PreferencesProvider'
import type { Data, Me } from '../app/shapes'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'

const LENGTH_MIN = 8

export function Password({ me }: { me: Me }) {
  const words = useTranslations('myself')
  const form = useRef<HTMLFormElement>(null)
  const showDone = useSuccessNotice()
  const queries = useQueryClient()
  const { change: changePreferences } = usePreferences()
  const [isOther, setOther] = useState(false)
  // Users who were added with a sign-in link have no password yet.
  const hasPassword = me.user.has_password
  const change = useMutation({
    async mutationFn(given: { current_password?: string; new_password: string }) {
      await call('POST', '/api/v1/auth/change_password', given)
      // Changing the password ends all sign-ins, including this one: sign in again with the new
      // password, for as long as the user chose before. A failure of that does not undo the change.
      const keep = localStorage.getItem(KEEP_SIGNED_IN_KEY) !== 'false'
      const shown = { email: me.user.email, password: given.new_password, keep }
      return call<Data<Me>>('POST', '/api/v2/sign_in', shown).catch(() => null)
    },
    onSuccess: (answer) => {
      if (answer === null) return
      queries.setQueryData(ME, answer.data)
      form.current?.reset()
      changePreferences({ hasOwnPassword: true })
      showDone(words('passwordChanged'))
    },
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const text = (name: string) => String(given.get(name) ?? '')
    const isOther = text('new_password') !== text('again')
    setOther(isOther)
    if (isOther) return
    const shown = hasPassword ? { current_password: text('current_password') } : {}
    change.mutate({ ...shown, new_password: text('new_password') })
  }
  const show = { 'aria-label': words('showPassword') }
  return (
    <form ref={form} onSubmit={submit}>
      <Stack gap="sm" maw={400}>
        {change.error && (
          <Alert color="red" variant="outline" role="alert">
            {reason(change.error, words('unreachable'))}
          </Alert>
        )}
        {change.data === null && (
          <Alert variant="outline" role="alert">
            <Stack gap="sm" align="start">
              {words('signInAnew')}
              <Button onClick={() => clearCache(queries)}>{words('toSignIn')}</Button>
            </Stack>
          </Alert>
        )}
        {/* Password managers look for the account's user name. */}
        <input type="hidden" name="username" autoComplete="username" value={me.user.email} />
        {hasPassword && (
          <PasswordInput
            name="current_password"
            label={words('currentPassword')}
            autoComplete="current-password"
            required
            withAsterisk={false}
            visibilityToggleButtonProps={show}
          />
        )}
        <PasswordInput
          name="new_password"
          label={words('newPassword')}
          description={words('passwordHint', { count: LENGTH_MIN })}
          autoComplete="new-password"
          minLength={LENGTH_MIN}
          required
          withAsterisk={false}
          visibilityToggleButtonProps={show}
        />
        <PasswordInput
          name="again"
          label={words('passwordAgain')}
          autoComplete="new-password"
          required
          withAsterisk={false}
          error={isOther && words('passwordsDiffer')}
          visibilityToggleButtonProps={show}
        />
        <Group>
          <Button type="submit" loading={change.isPending}>
            {words('changePassword')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function reason(error: Error, unreachable: string): string {
  if (!(error instanceof CallError) || error.status === 0) return unreachable
  return error.details[0] ?? error.message
}
