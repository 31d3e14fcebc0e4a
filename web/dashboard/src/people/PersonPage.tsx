import { Anchor, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import type { Me } from '../app/shapes'
import { ErrorState } from '../ui/feedback/ErrorState'
import { Loading } from '../ui/feedback/Loading'
import { Screen } from '../ui/Screen'
import { DeletePerson } from './DeletePerson'
import { ForceOffline } from './ForceOffline'
import { PersonForm } from './PersonForm'
import { SignInSection } from './SignInSection'
import { usePerson } from './usePeople'

export function PersonPage({ me, id }: { me: Me; id: string }) {
  const words = useTranslations('people')
  const { data, error, refetch } = usePerson(id)
  const back = (
    <Anchor component={Link} href="/people">
      {words('all')}
    </Anchor>
  )
  if (error && !data) {
    return (
      <Screen title={words('title')} actions={back}>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Screen>
    )
  }
  if (!data) return <Loading />
  const mayWrite = me.may.includes('people.write')
  return (
    <Screen title={data.name} actions={back}>
      <ForceOffline person={data} mayWrite={mayWrite} />
      <PersonForm person={data} mayWrite={mayWrite} />
      {mayWrite && data.id !== me.user.id && (
        <>
          <SignInSection person={data} />
          <DeletePerson person={data} />
        </>
      )}
      {data.id === me.user.id && (
        <Text size="sm" className="muted">
          {words('yourself')}
        </Text>
      )}
    </Screen>
  )
}
