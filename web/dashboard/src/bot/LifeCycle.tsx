import { Title } from '@mantine/core'
import { useTranslations } from 'use-intl'
import classes from './Bot.module.css'

const STEPS = ['bot', 'waiting', 'served', 'resolved'] as const

/** A diagram of a conversation's steps, with and without the bot. */
export function LifeCycle({ isOn }: { isOn: boolean }) {
  const words = useTranslations('bot')
  const steps = isOn ? STEPS : STEPS.filter((step) => step !== 'bot')
  return (
    <figure className={classes.life} aria-labelledby="life-title">
      <Title order={2} size="h4" id="life-title" mb="sm">
        {words('life')}
      </Title>
      <p className={classes.begins}>{words('begins')}</p>
      <ol className={classes.steps}>
        {steps.map((step) => (
          <li key={step} className={classes.step}>
            <div className={classes.box} data-step={step}>
              <strong>{words(`steps.${step}`)}</strong>
              <span>{words(`who.${step}`)}</span>
            </div>
            {step !== 'resolved' && (
              <p className={classes.arrow}>
                <Arrow />
                <span>{words(`next.${step}`)}</span>
              </p>
            )}
          </li>
        ))}
      </ol>
      <figcaption className={classes.again}>
        {words(isOn ? 'againWithBot' : 'againWithout')} {words('back')}
      </figcaption>
    </figure>
  )
}

function Arrow() {
  return (
    <svg viewBox="0 0 48 16" aria-hidden="true" className={classes.line}>
      <path d="M2 8h42M36 2l8 6-8 6" />
    </svg>
  )
}
