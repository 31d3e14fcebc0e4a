import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { call } from '../../../shared/call'
import type { Board, BoardAgent, Data } from '../app/shapes'
import { useFrames } from '../live/LiveProvider'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { boardAfter, needsReload } from './board'

/** Query key with the prefix `live`, so that the board is reloaded after each gap in the
 * connection. */
const BOARD = ['live', 'board'] as const
/** Delay before a reload, so that many frames cause one. */
const RELOAD_DELAY_MS = 5_000

/** Loads the board; frames keep it up to date. */
export function useBoard() {
  const queries = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useFrames((frame) => {
    queries.setQueryData<Board>(BOARD, (board) => board && boardAfter(board, frame))
    if (!needsReload(frame) || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      void queries.invalidateQueries({ queryKey: BOARD })
    }, RELOAD_DELAY_MS)
  })
  return useQuery({
    queryKey: BOARD,
    queryFn: () => call<Data<Board>>('GET', '/api/v2/board').then(({ data }) => data),
    refetchOnMount: 'always',
  })
}

/** Forces an agent offline, or allows them back. */
export function useForceOffline(agent: BoardAgent) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (force_offline: boolean) =>
      call('POST', `/api/v2/admin/agent/${agent.id}/set_force_offline`, { force_offline }),
    onError: useErrorNotice(),
    onSettled: () => queries.invalidateQueries({ queryKey: BOARD }),
  })
}
