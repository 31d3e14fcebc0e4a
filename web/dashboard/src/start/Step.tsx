import { Anchor, Text, Title } from '@mantine/core'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import classes from './Start.module.css'
import type { StepName } from './useSteps'

/** Where a step is done. The shop of the demo and the documentation are pages of their own. */
const PLACES: Record<StepName, string> = {
  password: '/me#password',
  widget: '/widget/demo',
  answer: '/inbox/unassigned',
  colleague: '/people',
  webhook: '/docs',
}

export function Step({ step, isDone }: { step: StepName; isDone: boolean }) {
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
        {step === 'widget' || step === 'webhook' ? (
          <Anchor href={PLACES[step]} target="_blank" rel="noopener" size="sm">
            {words(`steps.${step}.link`)}
          </Anchor>
        ) : (
          <Anchor component={Link} href={PLACES[step]} size="sm">
            {words(`steps.${step}.link`)}
          </Anchor>
        )}
      </div>
    </li>
  )
}
