import { Code, Group } from '@mantine/core'
import { CopyButton } from '../ui/CopyButton'
import classes from './Channels.module.css'

/** A code block with a copy button. */
export function CodeToCopy({ text }: { text: string }) {
  return (
    <Group gap="xs" wrap="nowrap" align="start">
      <Code block className={classes.code ?? ''} flex={1} miw={0} tabIndex={0}>
        {text}
      </Code>
      <CopyButton text={text} />
    </Group>
  )
}
