import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { call } from '../../../shared/call'
import type { Board, BoardAgent, Data } from '../app/shapes'
import { useFrames } from '../live/LiveProvider'
import { useFailure } from '../ui/useFailure'
import { boardAfter, isWorthReading } from './board'

/** Below `live`: read again after each gap of the connection. */
const BOARD = ['live', 'board'] as const
/** What frames do not say is read again, but not for each of them. */
const READ_AFTER_MS = 5_000

/** The office at this moment, kept true by frames. */
export function useBoard() {
  const queries = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useFrames((frame) => {
    queries.setQueryData<Board>(BOARD, (board) => board && boardAfter(board, frame))
    if (!isWorthReading(frame) || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      void queries.invalidateQueries({ queryKey: BOARD })
    }, READ_AFTER_MS)
  })
  return useQuery({
    queryKey: BOARD,
    queryFn: () => call<Data<Board>>('GET', '/api/v2/board').then(({ data }) => data),
    refetchOnMount: 'always',
  })
}

/** Takes somebody offline, or lets them come back. */
export function useForce(agent: BoardAgent) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (force_offline: boolean) =>
      call('POST', `/api/v2/admin/agent/${agent.id}/set_force_offline`, { force_offline }),
    onError: useFailure(),
    onSettled: () => queries.invalidateQueries({ queryKey: BOARD }),
  })
}
