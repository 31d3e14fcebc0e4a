import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import { forgetAll } from '../app/me'
import { tellTabs } from '../app/tabs'
import { useFailure } from '../ui/useFailure'

/** Signs the user out in all tabs of this browser. */
export function useSignOut() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call('POST', '/api/v2/sign_out'),
    onError: useFailure(),
    onSuccess: () => {
      tellTabs({ is: 'signed-out' })
      forgetAll(queries)
    },
  })
}
