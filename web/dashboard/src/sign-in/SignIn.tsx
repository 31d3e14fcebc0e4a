import {
  Alert,
  Anchor,
  Button,
  Code,
  Group,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useLocation } from 'wouter'
import { CallError, call } from '../../../shared/call'
import { KEEP_SIGNED_IN_KEY, ME } from '../app/me'
import type { Data, Me } from '../app/shapes'
import { CopyButton } from '../ui/CopyButton'
import { LanguageSwitch } from '../ui/LanguageSwitch'
import { useTitle } from '../ui/useTitle'
import classes from './SignIn.module.css'

const REPLACING = { replace: true }

type Shown = { email: string; password: string; keep: boolean } | { code: string }

/** The sign-in screen: by password, or by a one-time link. */
export function SignIn({ wasSignedIn }: { wasSignedIn: boolean }) {
  const words = useTranslations('signIn')
  const queries = useQueryClient()
  const [, go] = useLocation()
  const [email, setEmail] = useState('')
  const [isHelping, setHelping] = useState(false)
  const mail = useRef<HTMLInputElement>(null)
  useTitle(words('title'))
  const signIn = useMutation({
    mutationFn: (shown: Shown) => call<Data<Me>>('POST', '/api/v2/sign_in', shown),
    onSuccess({ data }, shown) {
      // Show the first steps to users who may change settings.
      if ('code' in shown) go(data.may.includes('settings') ? '/start?link' : '/inbox', REPLACING)
      localStorage.setItem(KEEP_SIGNED_IN_KEY, String('keep' in shown && shown.keep))
      queries.setQueryData(ME, data)
    },
  })
  const { mutate } = signIn
  useEffect(() => {
    const code = takeCode()
    if (code) mutate({ code })
    else mail.current?.focus()
  }, [mutate])
  const waitS = useCountdown(signIn.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const password = String(form.get('password') ?? '')
    mutate({ email, password, keep: form.get('keep') !== null })
  }

  return (
    <main className="centre">
      <Paper withBorder shadow="sm" p="xl" radius="lg" w="100%" maw={400}>
        <form onSubmit={submit}>
          <Stack>
            <Title order={1} size="h2">
              {words('title')}
            </Title>
            {wasSignedIn && !signIn.error && (
              <Alert color="blue" variant="outline" role="status">
                {words('signedOut')}
              </Alert>
            )}
            {signIn.error && (
              <Alert color="red" variant="outline" role="alert">
                {waitS > 0 ? words('tooOften', { seconds: waitS }) : reason(signIn.error, words)}
              </Alert>
            )}
            <TextInput
              ref={mail}
              name="email"
              type="email"
              label={words('email')}
              autoComplete="username"
              required
              withAsterisk={false}
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <PasswordInput
              name="password"
              label={words('password')}
              autoComplete="current-password"
              required
              withAsterisk={false}
              visibilityToggleButtonProps={{ 'aria-label': words('showPassword') }}
            />
            <label className={classes.keep}>
              <input type="checkbox" name="keep" defaultChecked />
              {words('keep')}
            </label>
            <Button type="submit" loading={signIn.isPending} disabled={waitS > 0} fullWidth>
              {words('submit')}
            </Button>
            <Group justify="space-between">
              <Anchor
                component="button"
                type="button"
                size="sm"
                aria-expanded={isHelping}
                onClick={() => setHelping(!isHelping)}
              >
                {words('forgot')}
              </Anchor>
              <LanguageSwitch />
            </Group>
            {isHelping && <Help email={email} />}
          </Stack>
        </form>
      </Paper>
    </main>
  )
}

function Help({ email }: { email: string }) {
  const words = useTranslations('signIn')
  const command = `confab user reset-password ${email || 'you@example.com'}`
  return (
    <Stack gap="xs">
      <Text size="sm">{words('forgotHelp')}</Text>
      <Group gap="xs" wrap="nowrap">
        <Code block flex={1} miw={0}>
          {command}
        </Code>
        <CopyButton text={command} />
      </Group>
    </Stack>
  )
}

type Words = ReturnType<typeof useTranslations<'signIn'>>

function reason(error: Error, words: Words): string {
  if (!(error instanceof CallError) || error.status === 0) return words('unreachable')
  return error.status === 401 ? words('wrong') : error.message
}

/** Returns the code behind `#` in a sign-in link, and removes it from the URL. */
function takeCode(): string | null {
  const code = location.pathname.endsWith('/sign-in') ? location.hash.slice(1) : ''
  if (code === '') return null
  history.replaceState(null, '', location.pathname + location.search)
  return code
}

/** Returns the seconds until the server accepts another attempt. */
function useCountdown(error: Error | null): number {
  const [leftS, setLeft] = useState(0)
  useEffect(() => {
    const waitMs = error instanceof CallError && error.status === 429 ? error.retryAfterMs : null
    const until = Date.now() + (waitMs ?? 0)
    const tick = () => setLeft(Math.max(Math.ceil((until - Date.now()) / 1000), 0))
    tick()
    if (waitMs === null) return
    const timer = setInterval(tick, 1000)
    return () => clearInterval(timer)
  }, [error])
  return leftS
}
