import { Stack, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { useTranslations } from 'use-intl'
import { AdminWords } from '../app/AdminWords'
import type { Me } from '../app/shapes'
import { SignIns } from '../sign_ins/SignIns'
import { useTitle } from '../ui/useTitle'
import { Appearance } from './Appearance'
import { AvailabilitySwitch } from './AvailabilitySwitch'
import { KeyTable } from './KeyTable'
import classes from './Myself.module.css'
import { Password } from './Password'
import { Profile } from './Profile'
import { SendKeySetting } from './SendKeySetting'
import { Sounds } from './Sounds'

/** The account screen: profile, appearance, sounds, shortcuts, password and sign-ins. */
export default function AccountScreen({ me }: { me: Me }) {
  return (
    <AdminWords>
      <Loaded me={me} />
    </AdminWords>
  )
}

function Loaded({ me }: { me: Me }) {
  const words = useTranslations('myself')
  const signIns = useTranslations('signIns')
  useTitle(words('account'))
  useEffect(() => {
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView()
  }, [])
  return (
    <main id="main" className={classes.page} data-region tabIndex={-1}>
      <Stack className={classes.column ?? ''} gap="xl">
        <Title order={1} size="h2">
          {words('account')}
        </Title>
        <AvailabilitySwitch me={me} isLarge />
        <Part name="profile" title={words('profile')}>
          <Profile me={me} />
        </Part>
        <Part name="looks" title={words('looks')}>
          <Appearance />
        </Part>
        <Part name="sounds" title={words('sounds')}>
          <Sounds />
        </Part>
        <Part name="writing" title={words('writing')}>
          <SendKeySetting />
        </Part>
        <Part name="keys" title={words('keys')}>
          <KeyTable />
        </Part>
        <Part name="password" title={words('password')}>
          <Password me={me} />
        </Part>
        <Part name="sign-ins" title={signIns('title')}>
          <SignIns />
        </Part>
      </Stack>
    </main>
  )
}

function Part({ name, title, children }: { name: string; title: string; children: ReactNode }) {
  return (
    <section id={name} aria-labelledby={`${name}-title`}>
      <Title order={2} size="h4" id={`${name}-title`} mb="sm">
        {title}
      </Title>
      {children}
    </section>
  )
}
