import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useLocation } from 'wouter'
import { withQuery } from '../../../shared/call'
import type { AnalyticsRow } from '../app/shapes'
import classes from './Analytics.module.css'
import { type AnalyticsQuery, queryOf, STEPS } from './query'

interface AskedProps {
  query: AnalyticsQuery
  agents: AnalyticsRow[]
  channels: AnalyticsRow[]
}

/** Which time, and of whom; kept in the address. */
export function Asked({ query, agents, channels }: AskedProps) {
  const words = useTranslations('analytics')
  const [, goTo] = useLocation()
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

const choice = ({ id, name }: AnalyticsRow) => ({ value: String(id), label: name })
