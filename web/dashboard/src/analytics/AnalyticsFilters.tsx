import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useLocation } from 'wouter'
import { withQuery } from '../../../shared/call'
import type { ChannelName, Person } from '../app/shapes'
import { ALL_AGENTS, ALL_CHANNELS, choice, useChoices } from '../ui/forms/useChoices'
import classes from './Analytics.module.css'
import { type AnalyticsQuery, queryOf, STEPS } from './query'

/** The filters of the analytics: dates, step, channel and agent. They are stored in the URL. */
export function AnalyticsFilters({ query }: { query: AnalyticsQuery }) {
  const words = useTranslations('analytics')
  const [, goTo] = useLocation()
  const agents = useChoices<{ agents: Person[] }>(ALL_AGENTS)?.agents ?? []
  const channels = useChoices<{ channels: ChannelName[] }>(ALL_CHANNELS)?.channels ?? []
  const any = { value: '', label: words('any') }
  const change = (changed: Partial<AnalyticsQuery>) =>
    goTo(withQuery('/analytics', { ...query, ...changed }), { replace: true })
  const field = (name: keyof AnalyticsQuery) => ({
    label: words(name),
    value: query[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      change({ [name]: event.currentTarget.value }),
  })
  return (
    <search className={classes.asked}>
      <TextInput {...field('from')} type="date" />
      <TextInput {...field('until')} type="date" />
      <NativeSelect
        {...field('by')}
        data={STEPS.map((value) => ({ value, label: words(`steps.${value}`) }))}
      />
      <NativeSelect {...field('channel')} data={[any, ...channels.map(choice)]} />
      <NativeSelect {...field('agent')} data={[any, ...agents.map(choice)]} />
      <Button variant="default" onClick={() => change(queryOf(''))}>
        {words('clear')}
      </Button>
    </search>
  )
}
