import { Code, Stack } from '@mantine/core'
import type { Comment } from '../../app/shapes'
import { FormattedText } from './FormattedText'

/** A message of an unknown type: its text, and its JSON in a collapsed section. */
export function UnknownContent({ comment, kind }: { comment: Comment; kind: string }) {
  return (
    <Stack gap="xs">
      {comment.message && <FormattedText>{comment.message}</FormattedText>}
      <details>
        <summary>{kind || comment.type}</summary>
        <Code block>{JSON.stringify(comment.payload, null, 2)}</Code>
      </details>
    </Stack>
  )
}
