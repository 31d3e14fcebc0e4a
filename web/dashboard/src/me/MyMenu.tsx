import {
  Avatar,
  type MantineColorScheme,
  Menu,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import { initials } from '../../../shared/text'
import { ME } from '../app/Gate'
import type { Me } from '../app/shapes'
import { LANGUAGES, type Language, useLanguage } from '../app/Words'
import { useFailure } from '../ui/useFailure'

const SCHEMES = ['auto', 'light', 'dark'] as const

export function MyMenu({ me }: { me: Me }) {
  const words = useTranslations('me')
  const { language, choose } = useLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const queries = useQueryClient()
  const signOut = useMutation({
    mutationFn: () => call('POST', '/api/v2/sign_out'),
    onError: useFailure(),
    onSuccess: () => {
      queries.setQueryData(ME, null)
      // Nothing that was read stays for whoever signs in next.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME[0] })
    },
  })
  return (
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <UnstyledButton aria-label={words('menu', { name: me.user.name })}>
          <Avatar size="md" color="teal" variant="filled" aria-hidden>
            {initials(me.user.name)}
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me.user.email}</Menu.Label>
        <Menu.Label>{words('language')}</Menu.Label>
        <Menu.RadioGroup value={language} onChange={(tag) => choose(tag as Language)}>
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
