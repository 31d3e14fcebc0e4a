import { Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Agent } from '../app/shapes'
import { Colleague } from '../conversation/header/Colleague'
import { Dialog } from '../ui/Dialog'
import { Spinner } from '../ui/feedback/Loading'
import { ALL_AGENTS, useChoices } from '../ui/forms/useChoices'
import classes from './Bulk.module.css'

interface AssignManyProps {
  count: number
  /** Progress text while the action is running. */
  progress: string | null
  onAssign: (agent: number) => void
  onClose: () => void
}

/** The dialog that assigns all picked conversations to one agent. */
export function AssignMany({ count, progress, onAssign, onClose }: AssignManyProps) {
  const words = useTranslations('bulk')
  const deeds = useTranslations('deeds')
  const [text, setText] = useState('')
  const all = useChoices<{ agents: Agent[] }>(ALL_AGENTS)?.agents
  const wanted = text.trim().toLowerCase()
  const found = all?.filter(({ name, email }) => `${name} ${email}`.toLowerCase().includes(wanted))
  return (
    <Dialog isOpen onClose={onClose} title={words('assignTitle', { count })}>
      <Stack gap="sm">
        <Text size="sm">{deeds('assignHelp')}</Text>
        <TextInput
          type="search"
          label={deeds('findColleague')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          data-autofocus
        />
        <Text role="status" size="sm">
          {progress}
        </Text>
        {!found && <Spinner label={deeds('findColleague')} />}
        {found?.length === 0 && <Text className="muted">{deeds('noSuchColleague')}</Text>}
        <ul className={classes.list} aria-label={deeds('colleagues')}>
          {found?.map((agent) => (
            <li key={agent.id}>
              <Colleague
                agent={agent}
                isBusy={progress !== null}
                onChoose={() => onAssign(agent.id)}
              />
            </li>
          ))}
        </ul>
      </Stack>
    </Dialog>
  )
}
