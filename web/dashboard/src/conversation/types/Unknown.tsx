import { Code, Stack } from '@mantine/core'
import type { Comment } from '../../app/shapes'
import { Words } from './Words'

/** A message of an unknown type: its text, and its JSON in a collapsed section. */
export function Unknown({ comment, kind }: { comment: Comment; kind: string }) {
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
