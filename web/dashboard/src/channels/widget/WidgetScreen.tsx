import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../../shared/call'
import { AdminWords } from '../../app/AdminWords'
import type { Data, Me, WidgetSettings } from '../../app/shapes'
import { ErrorState } from '../../ui/ErrorState'
import { Loading } from '../../ui/Loading'
import { useTitle } from '../../ui/useTitle'
import { Configurator } from './Configurator'
import classes from './WidgetScreen.module.css'

export const WIDGET_KEY = ['widget_settings']
export const WIDGET_PATH = '/api/v2/widget_settings'
export type WidgetAnswer = Data<{ widget: WidgetSettings }>

/** How the widget looks, what it says and asks for, and who may show it; with a preview beside. */
export default function WidgetScreen({ me }: { me: Me }) {
  return (
    <AdminWords>
      <Loaded me={me} />
    </AdminWords>
  )
}

function Loaded({ me }: { me: Me }) {
  const words = useTranslations('widget')
  useTitle(words('title'))
  const { data, error, refetch } = useQuery({
    queryKey: WIDGET_KEY,
    queryFn: () => call<WidgetAnswer>('GET', WIDGET_PATH).then((answer) => answer.data.widget),
    // Another admin may have changed them since.
    refetchOnMount: 'always',
  })
  // What was read is worth more than that it cannot be read again.
  if (error && !data) return <ErrorState error={error} onRetry={refetch} />
  if (!data) return <Loading />
  return (
    <main id="main" className={classes.screen} data-region tabIndex={-1}>
      <Title order={1} size="h2" className={classes.title ?? ''}>
        {words('title')}
      </Title>
      <Configurator me={me} kept={data} />
    </main>
  )
}
