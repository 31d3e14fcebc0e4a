import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { withQuery } from '../../../shared/call'
import { downloadResponse } from '../ui/downloadResponse'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import type { AnalyticsQuery } from './query'

interface CsvLinkProps {
  of: 'series' | 'agents' | 'channels'
  query: AnalyticsQuery
  what: string
}

/** The button that downloads a table as a CSV file. */
export function CsvLink({ of, query, what }: CsvLinkProps) {
  const words = useTranslations('analytics')
  const path = withQuery('/api/v2/analytics/export.csv', { of, ...query })
  const { from, until } = query
  const save = useMutation({
    mutationFn: () => downloadResponse(path, `${[of, from, until].filter(Boolean).join('_')}.csv`),
    onError: useErrorNotice(),
  })
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      loading={save.isPending}
      onClick={() => save.mutate()}
    >
      {words('csv', { what })}
    </Button>
  )
}
