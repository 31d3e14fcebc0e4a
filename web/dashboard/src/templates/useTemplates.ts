import { useQuery } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import type { Data, Template } from '../app/shapes'

/** Loads the channel's templates that the dashboard supports. Does nothing without a channel. */
export function useTemplates(channel: number | undefined) {
  return useQuery({
    queryKey: ['templates', channel],
    queryFn: () =>
      call<Data<{ templates: Template[] }>>('GET', `/api/v2/channels/${channel}/templates`).then(
        ({ data }) => data.templates.filter((it) => it.is_supported),
      ),
    enabled: channel !== undefined,
    retry: false,
    staleTime: 60_000,
  })
}
