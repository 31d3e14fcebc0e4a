import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { call, withQuery } from '../../../shared/call'
import type { Data, Delivery, Endpoint } from '../app/shapes'
import { useErrorWords } from '../deliveries/useErrorWords'
import { AllowAddress } from './AllowAddress'
import { nextPollMs } from './kinds'
import classes from './Webhooks.module.css'

/** A note about a problem of an endpoint, and what to do about it. */
export function EndpointProblem({ endpoint }: { endpoint: Endpoint }) {
  const words = useTranslations('webhooks')
  const { state } = endpoint
  if (state === 'paused') return <p className={classes.note}>{words('paused')}</p>
  if (state === 'disabled') return <p className={classes.note}>{words('disabled')}</p>
  return state === 'failing' ? <Failing endpoint={endpoint} /> : null
}

function Failing({ endpoint }: { endpoint: Endpoint }) {
  const words = useTranslations('webhooks')
  const errorWords = useErrorWords()
  const format = useFormatter()
  const error = useLastError(endpoint)
  const since = format.dateTime(new Date(endpoint.failing_since ?? endpoint.updated_at), {
    dateStyle: 'medium',
    timeStyle: 'short',
  })
  return (
    <div className={classes.trouble}>
      <Text size="sm">{words('failing', { since })}</Text>
      {error && <Text size="sm">{words('failingWhy', { error: errorWords(error) })}</Text>}
      {error === 'blocked_address' && <AllowAddress url={endpoint.url} />}
    </div>
  )
}

/** Number of waiting deliveries to search: those blocked by others have not been attempted. */
const SEARCHED_MAX = 50

/** Returns the error of the newest waiting delivery that was attempted. */
function useLastError(endpoint: Endpoint): string | null | undefined {
  const { id, kind } = endpoint
  const query = { ...(id ? { endpoint: id } : { kind }), standing: 'waiting', limit: SEARCHED_MAX }
  const path = withQuery('/api/v2/webhooks/deliveries', query)
  const { data } = useQuery({
    queryKey: ['live', 'last_error', id ?? kind],
    queryFn: async () => {
      const { deliveries } = (await call<Data<{ deliveries: Delivery[] }>>('GET', path)).data
      return deliveries.find((it) => it.last_error)?.last_error ?? null
    },
    refetchInterval: () => nextPollMs([endpoint], Date.now()),
  })
  return data
}
