import { Code, Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { safeUrl } from '../../../../shared/text'
import type { Comment } from '../../app/shapes'
import classes from '../Conversation.module.css'
import { Attachment } from './Attachment'
import { Buttons } from './Buttons'
import { Card } from './Card'
import { list, record, text } from './payload'
import { Outside, Words } from './Words'

/** What a message says, by its type. What is not known is shown as its text and its JSON. */
export function Content({ comment }: { comment: Comment }) {
  const payload = record(comment.payload)
  switch (comment.type) {
    case 'text':
    case 'button_postback_response':
      return <Words>{comment.message}</Words>
    case 'file_attachment':
      return <Attachment payload={payload} />
    case 'buttons':
      return (
        <Stack gap="xs">
          <Words>{comment.message}</Words>
          <Buttons labels={list(payload.buttons).map((button) => text(button.label))} />
        </Stack>
      )
    case 'card':
      return <Card card={payload} />
    case 'carousel':
      return (
        <ul className={classes.carousel}>
          {list(payload.cards).map((card, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the cards of a message never change
            <li key={at}>
              <Card card={card} />
            </li>
          ))}
        </ul>
      )
    case 'location':
      return <Place payload={payload} />
    case 'contact_person':
      return (
        <Stack gap={0}>
          <Text fw={600}>{text(payload.name)}</Text>
          <Contact kind={text(payload.type)} value={text(payload.value)} />
        </Stack>
      )
    case 'account_linking':
      return <Words>{comment.message || text(payload.text)}</Words>
    case 'reply':
      return (
        <Stack gap="xs">
          <blockquote className={classes.quote}>
            <Text size="xs" fw={600}>
              {text(payload.replied_comment_sender_username)}
            </Text>
            <Text size="sm" lineClamp={3}>
              {text(payload.replied_comment_message)}
            </Text>
          </blockquote>
          <Words>{comment.message}</Words>
        </Stack>
      )
    default:
      return <Unknown comment={comment} kind={text(payload.type)} />
  }
}

function Place({ payload }: { payload: Record<string, unknown> }) {
  const words = useTranslations('conversation')
  const map = safeUrl(payload.map_url)
  return (
    <Stack gap={0}>
      <Text fw={600}>{text(payload.name)}</Text>
      <Text>{text(payload.address)}</Text>
      <Text size="sm">
        {text(payload.latitude)}, {text(payload.longitude)}
      </Text>
      {map && <Outside href={map}>{words('openMap')}</Outside>}
    </Stack>
  )
}

function Contact({ kind, value }: { kind: string; value: string }) {
  const way = kind === 'email' ? 'mailto' : 'tel'
  return <a href={`${way}:${encodeURIComponent(value)}`}>{value}</a>
}

function Unknown({ comment, kind }: { comment: Comment; kind: string }) {
  return (
    <Stack gap="xs">
      {comment.message && <Words>{comment.message}</Words>}
      <details>
        <summary>{kind || comment.type}</summary>
        <Code block>{JSON.stringify(comment.payload, null, 2)}</Code>
      </details>
    </Stack>
  )
}
