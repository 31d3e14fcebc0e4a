import { Button, Group, Stack, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import type { Agent, Data, SignInLink as Link } from '../app/shapes'
import { useIsOffline } from '../live/useIsOffline'
import { SignIns } from '../sign_ins/SignIns'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { SignInLink } from './SignInLink'

/** The agent's sign-ins, and a button that creates a sign-in link. */
export function SignInSection({ person }: { person: Agent }) {
  const words = useTranslations('people')
  const signIns = useTranslations('signIns')
  const isOffline = useIsOffline()
  const { id, name } = person
  const make = useMutation({
    mutationFn: () => call<Data<Link>>('POST', `/api/v2/admin/agent/${id}/sign_in_link`),
    onError: useErrorNotice(),
    // The link must not stay in the cache.
    gcTime: 0,
  })
  return (
    <section aria-labelledby="sign-ins-title">
      <Stack gap="sm">
        <Title order={2} size="h4" id="sign-ins-title">
          {signIns('titleOf', { name })}
        </Title>
        <SignIns agent={{ id, name }} />
        <Group>
          <Button
            variant="default"
            loading={make.isPending}
            disabled={isOffline}
            onClick={() => make.mutate()}
          >
            {words('makeLink')}
          </Button>
        </Group>
        {make.data && <SignInLink name={name} link={make.data.data} />}
      </Stack>
    </section>
  )
}
