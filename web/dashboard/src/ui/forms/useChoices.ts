import { useQuery } from '@tanstack/react-query'
import { call } from '../../../../shared/call'
import type { Data } from '../../app/shapes'

/** Loads the options of a select field. */
export function useChoices<T>(path: string, isWanted = true): T | undefined {
  const { data } = useQuery({
    queryKey: ['choices', path],
    queryFn: () => call<Data<T>>('GET', path).then(({ data }) => data),
    enabled: isWanted,
    staleTime: 60_000,
  })
  return data
}

export const ALL_AGENTS = '/api/v2/admin/agents?limit=1000'
export const ALL_CHANNELS = '/api/v2/channel_names'

export const choice = ({ id, name }: { id: number; name: string }) => ({
  value: String(id),
  label: name,
})
