import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import { AdminWords } from '../app/AdminWords'
import type { AppKeys, Data, Me } from '../app/shapes'
import { ErrorState } from '../ui/feedback/ErrorState'
import { Loading } from '../ui/feedback/Loading'
import { Screen } from '../ui/Screen'
import { KeysPage } from './KeysPage'

const KEY = ['app_keys']

/** The screen of the app's keys: their last characters, the full keys on request, and the
 * rotation. */
export default function KeysScreen({ me }: { me: Me }) {
  return (
    <AdminWords>
      <Loaded me={me} />
    </AdminWords>
  )
}

function Loaded({ me }: { me: Me }) {
  const words = useTranslations('appKeys')
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: () =>
      call<Data<{ keys: AppKeys }>>('GET', '/api/v2/app/keys').then(({ data }) => data.keys),
    refetchOnMount: 'always',
  })
  if (!data && !error) return <Loading />
  if (!data) {
    return (
      <Screen title={words('title')}>
        <ErrorState error={error} onRetry={refetch} />
      </Screen>
    )
  }
  return (
    <Screen title={words('title')}>
      <KeysPage me={me} keys={data} reload={() => queries.invalidateQueries({ queryKey: KEY })} />
    </Screen>
  )
}
