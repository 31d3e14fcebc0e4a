import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { read, withQuery } from '../../../shared/call'
import { useFailure } from '../ui/useFailure'
import type { AnalyticsQuery } from './query'

interface CsvLinkProps {
  of: 'series' | 'agents' | 'channels'
  query: AnalyticsQuery
  what: string
}

/** Fetched by the page: a cookie counts only with a header that a plain link does not send. */
export function CsvLink({ of, query, what }: CsvLinkProps) {
  const words = useTranslations('analytics')
  const path = withQuery('/api/v2/analytics/export.csv', { of, ...query })
  const save = useMutation({
    mutationFn: async () => {
      const answer = await fetch(path, { headers: { 'x-confab': '1' } })
      if (!answer.ok) return read(answer)
      const link = document.createElement('a')
      link.href = URL.createObjectURL(await answer.blob())
      const { from, until } = query
      link.download = `${[of, from, until].filter(Boolean).join('_')}.csv`
      link.click()
      URL.revokeObjectURL(link.href)
    },
    onError: useFailure(),
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
