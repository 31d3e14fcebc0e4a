import { Anchor, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Me } from '../../app/shapes'
import { CodeToCopy } from '../CodeToCopy'
import { Part } from './Part'
import { policyLines, snippetOf } from './snippet'

/** The HTML that embeds the widget, and the sources that a Content Security Policy must allow. */
export function Snippet({ me }: { me: Me }) {
  const words = useTranslations('widget')
  const { public_url } = me.server
  const chat = `${public_url}/chat/${me.app.code}`
  return (
    <Part title={words('snippet')} help={words('snippetHelp')}>
      <CodeToCopy text={snippetOf(public_url, me.app.code)} />
      <Text size="sm">{words('policy')}</Text>
      <CodeToCopy text={policyLines(public_url)} />
      <Text size="sm">
        {words('ownPage')}{' '}
        <Anchor href={chat} target="_blank" rel="noopener">
          {chat}
        </Anchor>
      </Text>
    </Part>
  )
}
