import { Avatar, Text, UnstyledButton } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { initials } from '../../../../shared/text'
import type { Agent } from '../../app/shapes'
import classes from '../Conversation.module.css'

/** Whether an agent accepts customers now. */
export const isAvailable = (agent: Agent) => agent.is_available && !agent.force_offline

interface ColleagueProps {
  agent: Agent
  isBusy: boolean
  onChoose: () => void
}

/** An agent that can be chosen, with their availability and number of conversations. */
export function Colleague({ agent, isBusy, onChoose }: ColleagueProps) {
  const words = useTranslations('deeds')
  const load = words('load', { count: agent.current_customer_count })
  const of = agent.customers_max == null ? '' : words('loadMax', { count: agent.customers_max })
  return (
    <UnstyledButton className={classes.colleague} disabled={isBusy} onClick={onChoose}>
      <Avatar size="md" color="teal" variant="light" aria-hidden>
        {initials(agent.name)}
      </Avatar>
      <span>
        <Text component="span" display="block" fw={600}>
          {agent.name}
        </Text>
        <Text component="span" display="block" size="sm" className="muted">
          {words(isAvailable(agent) ? 'there' : 'away')} · {[load, of].filter(Boolean).join(' ')}
        </Text>
      </span>
    </UnstyledButton>
  )
}
