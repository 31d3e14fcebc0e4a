import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { AdminWords } from '../../app/AdminWords'
import type { Me } from '../../app/shapes'
import { ErrorState } from '../../ui/feedback/ErrorState'
import { SkeletonRows } from '../../ui/feedback/SkeletonRows'
import { Screen } from '../../ui/Screen'
import { Configurator } from './Configurator'
import { loadWidget, WIDGET_KEY } from './settings'

/** The widget's settings, with a preview next to them. */
export default function WidgetScreen({ me }: { me: Me }) {
  return (
    <AdminWords>
      <Loaded me={me} />
    </AdminWords>
  )
}

function Loaded({ me }: { me: Me }) {
  const words = useTranslations('widget')
  const { data, error, refetch } = useQuery({
    queryKey: WIDGET_KEY,
    queryFn: loadWidget,
    // Another admin may have changed the settings.
    refetchOnMount: 'always',
  })
  return (
    <Screen isWide title={words('title')}>
      {/* Keep showing loaded settings if a reload fails. */}
      {error && !data && <ErrorState error={error} onRetry={refetch} />}
      {!error && !data && <SkeletonRows count={4} height={120} />}
      {data && <Configurator me={me} kept={data} />}
    </Screen>
  )
}
