import { Anchor, Text, Title } from '@mantine/core'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import classes from './Start.module.css'
import type { StepName } from './useSteps'

/** The path on which a step is done. The widget's step opens the app's chat page, which every
 * server has. */
const PATHS: Record<Exclude<StepName, 'widget'>, string> = {
  password: '/me#password',
  answer: '/inbox/unassigned',
  colleague: '/people',
  webhook: '/webhooks',
}

interface StepProps {
  step: StepName
  isDone: boolean
  app: string
}

export function Step({ step, isDone, app }: StepProps) {
  const words = useTranslations('start')
  const Icon = isDone ? IconCircleCheckFilled : IconCircle
  return (
    <li className={classes.step} data-is-done={isDone}>
      <Icon
        size={28}
        className={classes.tick ?? ''}
        role="img"
        aria-label={words(isDone ? 'done' : 'open')}
      />
      <div>
        <Title order={2} size="h5">
          {words(`steps.${step}.title`)}
        </Title>
        <Text size="sm">{words(`steps.${step}.text`)}</Text>
        {step === 'widget' ? (
          <Anchor
            href={`/chat/${encodeURIComponent(app)}`}
            target="_blank"
            rel="noopener"
            size="sm"
          >
            {words(`steps.${step}.link`)}
          </Anchor>
        ) : (
          <Anchor component={Link} href={PATHS[step]} size="sm">
            {words(`steps.${step}.link`)}
          </Anchor>
        )}
      </div>
    </li>
  )
}
