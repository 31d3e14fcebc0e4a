import {
  Avatar,
  type MantineColorScheme,
  Menu,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import { initials } from '../../../shared/text'
import type { Me } from '../app/shapes'
import { LANGUAGES, type Language } from '../app/WordsProvider'
import { SCHEMES } from './schemes'
import { useMyLanguage } from './useMyLanguage'
import { useSignOut } from './useSignOut'

export function MyMenu({ me }: { me: Me }) {
  const words = useTranslations('me')
  const { language, change } = useMyLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const signOut = useSignOut()
  return (
    <Menu
      position="bottom-end"
      shadow="md"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <UnstyledButton aria-label={words('menu', { name: me.user.name })}>
          <Avatar size="md" color="teal" variant="filled" aria-hidden>
            <span className="initials" data-initials={initials(me.user.name)} />
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me.user.email}</Menu.Label>
        <Menu.Item component={Link} href="/me">
          {words('account')}
        </Menu.Item>
        {me.may.includes('settings') && (
          <Menu.Item component={Link} href="/start">
            {words('start')}
          </Menu.Item>
        )}
        <Menu.Label>{words('language')}</Menu.Label>
        <Menu.RadioGroup value={language} onChange={(tag) => change(tag as Language)}>
          {Object.entries(LANGUAGES).map(([tag, name]) => (
            <Menu.RadioItem key={tag} value={tag} lang={tag}>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Label>{words('colours')}</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}
        >
          {SCHEMES.map((scheme) => (
            <Menu.RadioItem key={scheme} value={scheme}>
              {words(scheme)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item onClick={() => signOut.mutate()}>{words('signOut')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
