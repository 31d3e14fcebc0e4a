import { Tabs } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useLocation, useParams } from 'wouter'
import { AdminWords } from '../app/AdminWords'
import type { Me } from '../app/shapes'
import { Screen } from '../ui/Screen'
import { Buttons } from './Buttons'
import { Replies } from './Replies'
import { TagList } from './TagList'

const PARTS = ['buttons', 'replies', 'tags'] as const

/** The tools for conversations: custom buttons, canned replies and tags. */
export default function ToolsScreen({ me }: { me: Me }) {
  return (
    <AdminWords>
      <Tools me={me} />
    </AdminWords>
  )
}

function Tools({ me }: { me: Me }) {
  const words = useTranslations('tools')
  const { part } = useParams<{ part?: string }>()
  const [, go] = useLocation()
  const here = PARTS.find((it) => it === part) ?? PARTS[0]
  return (
    <Screen title={words('title')} help={words('help')}>
      <Tabs value={here} onChange={(chosen) => go(`/tools/${chosen}`)} keepMounted={false}>
        <Tabs.List aria-label={words('title')} mb="lg">
          {PARTS.map((it) => (
            <Tabs.Tab key={it} value={it}>
              {words(`parts.${it}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="buttons">
          <Buttons me={me} />
        </Tabs.Panel>
        <Tabs.Panel value="replies">
          <Replies />
        </Tabs.Panel>
        <Tabs.Panel value="tags">
          <TagList />
        </Tabs.Panel>
      </Tabs>
    </Screen>
  )
}
