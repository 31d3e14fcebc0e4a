import '@mantine/core/styles/Checkbox.css'
import { Checkbox, Textarea } from '@mantine/core'
import { useTranslations } from 'use-intl'

const LENGTH_MAX = 4000

/** The automatic replies; an empty text sends nothing. */
export interface AutoReplies {
  online_message?: string | null
  offline_message?: string | null
  send_online_if_resolved: boolean
  send_offline_each_message: boolean
}

/** Returns only the automatic replies of an object with further fields. */
export const autoRepliesOf = (it: AutoReplies): AutoReplies => ({
  online_message: it.online_message ?? '',
  offline_message: it.offline_message ?? '',
  send_online_if_resolved: it.send_online_if_resolved,
  send_offline_each_message: it.send_offline_each_message,
})

/** The fields for the automatic replies inside and outside office hours. */
export function AutoReplyFields({
  replies,
  change,
}: {
  replies: AutoReplies
  change: (part: Partial<AutoReplies>) => void
}) {
  const words = useTranslations('hours')
  return (
    <>
      <Textarea
        label={words('online')}
        description={words('onlineHelp')}
        autosize
        minRows={2}
        maxLength={LENGTH_MAX}
        value={replies.online_message ?? ''}
        onChange={(event) => change({ online_message: event.currentTarget.value })}
      />
      <Checkbox
        label={words('onlineAgain')}
        checked={replies.send_online_if_resolved}
        onChange={(event) => change({ send_online_if_resolved: event.currentTarget.checked })}
      />
      <Textarea
        label={words('offline')}
        description={words('offlineHelp')}
        autosize
        minRows={2}
        maxLength={LENGTH_MAX}
        value={replies.offline_message ?? ''}
        onChange={(event) => change({ offline_message: event.currentTarget.value })}
      />
      <Checkbox
        label={words('offlineEach')}
        checked={replies.send_offline_each_message}
        onChange={(event) => change({ send_offline_each_message: event.currentTarget.checked })}
      />
    </>
  )
}
