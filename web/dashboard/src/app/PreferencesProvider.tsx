import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useMemo } from 'react'
import { call } from '../../../shared/call'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { changeMeEverywhere, ME } from './me'
import { type Preferences, preferencesOf } from './preferences'
import type { Data, Me } from './shapes'

interface PreferencesBus {
  preferences: Preferences
  change: (changed: Partial<Preferences>) => void
}

const Bus = createContext<PreferencesBus>({ preferences: preferencesOf(null), change: () => {} })

/** Returns the signed-in user's preferences and a function to change them. */
export const usePreferences = () => useContext(Bus)

/** Provides the user's preferences. The server stores them, so they are the same on all devices. */
export function PreferencesProvider({ me, children }: { me: Me; children: ReactNode }) {
  const queries = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: (preferences: Preferences) =>
      call<Data<Me>>('PATCH', '/api/v2/me', { preferences }),
    onError: useErrorNotice(),
  })
  const preferences = useMemo(() => preferencesOf(me.user.preferences), [me.user.preferences])
  const change = useCallback(
    (changed: Partial<Preferences>) => {
      const now = queries.getQueryData<Me>(ME)
      if (!now) return
      const preferences = { ...preferencesOf(now.user.preferences), ...changed }
      // Apply the change at once, independent of the order of the responses.
      changeMeEverywhere(queries, { preferences })
      mutate(preferences)
    },
    [queries, mutate],
  )
  const bus = useMemo(() => ({ preferences, change }), [preferences, change])
  return <Bus value={bus}>{children}</Bus>
}
