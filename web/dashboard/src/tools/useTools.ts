import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, type Method, withQuery } from '../../../shared/call'
import type { AppTag, CannedReply, CustomButton, Data } from '../app/shapes'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'

export const BUTTONS = '/api/v2/custom_buttons'
export const REPLIES = '/api/v2/canned_replies'
export const TAGS = '/api/v2/tags'

/** Query keys to invalidate after a change of each tool. */
const INVALIDATED_KEYS = {
  [BUTTONS]: [['custom_buttons'], ['live', 'webhook_endpoints']],
  [REPLIES]: [['canned']],
  [TAGS]: [['tags'], ['choices', TAGS], ['live', 'rooms'], ['live', 'room']],
}

const PAGE = 100

/** Loads all custom buttons, including inactive ones. */
export function useButtons() {
  return useQuery({
    queryKey: ['custom_buttons'],
    queryFn: () => call<Data<{ custom_buttons: CustomButton[] }>>('GET', BUTTONS),
    select: ({ data }) => data.custom_buttons,
    refetchOnMount: 'always',
  })
}

type ReplyPage = Data<{ canned_replies: CannedReply[]; total: number }>

/** Loads shared replies and the user's own, by shortcut. */
export function useReplies(q: string) {
  return useInfiniteQuery({
    queryKey: ['canned', 'all', q],
    initialPageParam: 1,
    queryFn: ({ pageParam: page }) =>
      call<ReplyPage>('GET', withQuery(REPLIES, { q, page, limit: PAGE })),
    getNextPageParam: (last, pages) =>
      pages.length * PAGE < last.data.total ? pages.length + 1 : undefined,
    placeholderData: (known) => known,
    refetchOnMount: 'always',
  })
}

/** Loads all tags, by name. */
export function useTags(name: string) {
  return useInfiniteQuery({
    queryKey: ['tags', 'all', name],
    initialPageParam: 1,
    queryFn: ({ pageParam: page }) =>
      call<Data<AppTag[]>>('GET', withQuery(TAGS, { name, page, limit: PAGE })),
    getNextPageParam: (last, pages) => (last.data.length < PAGE ? undefined : pages.length + 1),
    placeholderData: (known) => known,
    refetchOnMount: 'always',
  })
}

interface ToolChange {
  method: Method
  /** Id of the item to change; undefined to create one. */
  id?: number
  body?: object
}

/** Creates, changes or deletes an item, and reloads the queries that show it. */
export function useToolMutation(of: keyof typeof INVALIDATED_KEYS) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ method, id, body }: ToolChange) =>
      call(method, id === undefined ? of : `${of}/${id}`, body),
    onError: useErrorNotice(),
    onSettled: () =>
      Promise.all(INVALIDATED_KEYS[of].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  })
}
