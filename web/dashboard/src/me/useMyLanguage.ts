import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import { changeMe } from '../app/me'
import { type Language, useLanguage } from '../app/WordsProvider'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'

/** Changes the signed-in user's language: in this browser at once, and on the server for other
 * browsers. */
export function useMyLanguage() {
  const queries = useQueryClient()
  const { language, choose } = useLanguage()
  const { mutate } = useMutation({
    mutationFn: (language: Language) => call('PATCH', '/api/v2/me', { language }),
    onError: useErrorNotice(),
  })
  const change = (language: Language) => {
    choose(language)
    changeMe(queries, { language })
    mutate(language)
  }
  return { language, change }
}
