import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { Dialog } from '../../ui/Dialog'
import { ErrorState } from '../../ui/feedback/ErrorState'
import { useErrorNotice } from '../../ui/feedback/useErrorNotice'
import { useSuccessNotice } from '../../ui/feedback/useSuccessNotice'
import { type DeliveryFilters, replayQueryOf } from '../filters'
import { DELIVERIES } from '../useDeliveries'
import { count, replayAll } from './replay'

interface ReplayAllDialogProps {
  filters: DeliveryFilters
  onClose: () => void
}

/** The dialog that replays all deliveries matching the filters, after showing their number. */
export default function ReplayAllDialog({ filters, onClose }: ReplayAllDialogProps) {
  const words = useTranslations('deliveries')
  const format = useFormatter()
  const queries = useQueryClient()
  const showDone = useSuccessNotice()
  const wanted = replayQueryOf(filters)
  const [sent, setSent] = useState<number | null>(null)
  const counted = useQuery({
    queryKey: ['replay_count', wanted],
    queryFn: ({ signal }) => count(wanted, signal),
    gcTime: 0,
  })
  const [ended] = useState(() => new AbortController())
  const close = () => {
    ended.abort()
    onClose()
  }
  const replay = useMutation({
    mutationFn: () => replayAll(wanted, setSent, ended.signal),
    onError: useErrorNotice(),
    onSuccess(count) {
      showDone(words('replayedAll', { count }))
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: DELIVERIES }),
  })
  const { data } = counted
  return (
    <Dialog isOpen onClose={close} title={words('replayAllTitle')}>
      <Stack>
        {counted.error && <ErrorState error={counted.error} onRetry={counted.refetch} />}
        <Text role="status" fw={600}>
          {!data && !counted.error && words('counting')}
          {data?.isAll && words('replayCount', { count: data.count })}
          {data && !data.isAll && words('replayCountMore', { count: format.number(data.count) })}
        </Text>
        {filters.standing === '' && <Text size="sm">{words('replayFailedOnly')}</Text>}
        <Text size="sm">{words('replayTwice')}</Text>
        {sent !== null && (
          <Text size="sm" role="status">
            {words('replaying', { count: sent })}
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            {words(replay.isPending ? 'stop' : 'cancel')}
          </Button>
          <Button
            loading={replay.isPending}
            disabled={!data || data.count === 0}
            onClick={() => replay.mutate()}
          >
            {words('replay')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
