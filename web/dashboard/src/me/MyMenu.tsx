import { Avatar, Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core'
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
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <UnstyledButton aria-label={words('menu', { name: me.user.name })}>
          <Avatar size="md" color="teal" variant="filled" aria-hidden>
            {initials(me.user.name)}
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Text px="sm" py="xs" fw={600}>
          {me.user.name}
        </Text>
        <Text px="sm" pb="xs" size="sm" className="muted">
          {me.user.email}
        </Text>
        <Menu.Divider />
        <Menu.Label>{words('language')}</Menu.Label>
        {(Object.entries(LANGUAGES) as [Language, string][]).map(([tag, name]) => (
          <Menu.Item
            key={tag}
            role="menuitemradio"
            aria-checked={tag === language}
            lang={tag}
            onClick={() => choose(tag)}
            rightSection={tag === language ? '✓' : undefined}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Label>{words('colours')}</Menu.Label>
        {SCHEMES.map((scheme) => (
          <Menu.Item
            key={scheme}
            role="menuitemradio"
            aria-checked={scheme === colorScheme}
            onClick={() => setColorScheme(scheme)}
            rightSection={scheme === colorScheme ? '✓' : undefined}
          >
            {words(scheme)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => signOut.mutate()}>{words('signOut')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
