import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import { clearCache } from '../app/me'
import { postToTabs } from '../app/tabs'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'

/** Signs the user out in all tabs of this browser. */
export function useSignOut() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call('POST', '/api/v2/sign_out'),
    onError: useErrorNotice(),
    onSuccess: () => {
      postToTabs({ is: 'signed-out' })
      clearCache(queries)
    },
  })
}
