import { useLive } from './LiveProvider'

/** Whether the server cannot be reached now: what is shown may be old, and nothing can be done. */
export function useIsAway(): boolean {
  const { state } = useLive()
  return state.is === 'waiting'
}
