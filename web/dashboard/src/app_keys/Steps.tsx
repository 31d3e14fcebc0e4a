import { Button, Group, Text, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useFormatter, useTranslations } from 'use-intl'
import type { KeyChange } from '../app/shapes'
import classes from './Keys.module.css'
import { type KeyAction, STEPS, type Step, stepStateOf } from './steps'

interface StepsProps {
  change: KeyChange | null
  onAction: (action: KeyAction) => void
}

/** The three steps of a key rotation, with the state of each. */
export function Steps({ change, onAction }: StepsProps) {
  const words = useTranslations('appKeys')
  return (
    <ol className={classes.steps} aria-label={words('change')}>
      {STEPS.map((step) => (
        <OneStep key={step} step={step} change={change} onAction={onAction} />
      ))}
    </ol>
  )
}

function OneStep({ step, change, onAction }: StepsProps & { step: Step }) {
  const words = useTranslations('appKeys')
  const standing = stepStateOf(step, change)
  const number = STEPS.indexOf(step) + 1
  return (
    <li
      className={classes.step}
      data-standing={standing}
      aria-current={standing === 'now' ? 'step' : undefined}
    >
      <span className={classes.number} aria-hidden>
        {standing === 'done' ? <IconCheck size={16} /> : number}
      </span>
      <div>
        <Title order={3} size="h5">
          {words(`step.${step}.title`)}
        </Title>
        <Text size="sm" className="muted">
          {words(`standing.${standing}`)}
        </Text>
        <Text size="sm">{words(`step.${step}.help`)}</Text>
        <Since step={step} change={change} />
        {standing === 'now' && (
          <Group gap="xs" mt="xs">
            <Button size="sm" onClick={() => onAction(step)}>
              {words(`step.${step}.do`)}
            </Button>
            {step === 'promote' && (
              <Button size="sm" variant="default" onClick={() => onAction('unstage')}>
                {words('unstage')}
              </Button>
            )}
          </Group>
        )}
      </div>
    </li>
  )
}

/** The time of the latest step, or the time when the old key expires. */
function Since({ step, change }: { step: Step; change: KeyChange | null }) {
  const words = useTranslations('appKeys')
  const format = useFormatter()
  const time = (at: string) =>
    format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' })
  const isLast = change?.step === (step === 'stage' ? 'staged' : 'promoted') && step !== 'retire'
  if (isLast && change.since) {
    return <Text size="sm">{words('since', { time: time(change.since) })}</Text>
  }
  if (step === 'retire' && change?.ends_at) {
    return <Text size="sm">{words('endsAt', { time: time(change.ends_at) })}</Text>
  }
  return null
}
