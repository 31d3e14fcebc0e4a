import { Anchor, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { ProviderKind, Step } from './kinds'
import classes from './Providers.module.css'

/** The preparation steps at the provider. */
export function Steps({ kind }: { kind: ProviderKind }) {
  return (
    <ol className={classes.steps}>
      {kind.steps.map((step) => (
        <li key={step.text}>
          <StepText step={step} />
        </li>
      ))}
    </ol>
  )
}

/** A step, with a link to where it is done. */
export function StepText({ step: { text, link } }: { step: Step }) {
  const words = useTranslations('services')
  return (
    <Text size="sm" className={classes.said ?? ''}>
      {words(text)}{' '}
      {link && (
        <Anchor href={link} target="_blank" rel="noreferrer" inherit>
          {new URL(link).host + new URL(link).pathname.replace(/\/$/, '')}
        </Anchor>
      )}
    </Text>
  )
}
