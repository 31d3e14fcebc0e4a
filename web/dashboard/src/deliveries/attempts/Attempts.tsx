import { Code, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Attempt } from '../../app/shapes'
import { DateTime } from '../../context/DateTime'
import classes from '../Deliveries.module.css'
import { useErrorWords } from '../useErrorWords'
import { PhaseBars } from './PhaseBars'
import { longestUs } from './phases'

/** The attempts of a delivery, newest first, with bars in one scale. */
export function Attempts({ attempts }: { attempts: Attempt[] }) {
  const words = useTranslations('deliveries')
  const wholeUs = longestUs(attempts.map(({ phases_us }) => phases_us))
  if (attempts.length === 0) return <Text className="muted">{words('noAttempt')}</Text>
  return (
    <ol className={classes.attempts}>
      {attempts.toReversed().map((attempt) => (
        <li key={attempt.number} className={classes.attempt}>
          <OneAttempt attempt={attempt} wholeUs={wholeUs} />
        </li>
      ))}
    </ol>
  )
}

function OneAttempt({ attempt, wholeUs }: { attempt: Attempt; wholeUs: number }) {
  const words = useTranslations('deliveries')
  const errorWords = useErrorWords()
  const { number, at, status, error, peer, headers, answer } = attempt
  return (
    <>
      <div className={classes.head}>
        <Text fw={600} size="sm">
          {words('attempt', { number })}
          {status ? ` · ${status}` : ''}
        </Text>
        <Text size="sm" className="muted">
          <DateTime at={at} /> {peer && words('peer', { peer })}
        </Text>
      </div>
      {error && <Text size="sm">{errorWords(error)}</Text>}
      <PhaseBars phases={attempt.phases_us} wholeUs={wholeUs} />
      <details className={classes.details}>
        <summary>{words('headers')}</summary>
        {headers ? (
          <Code block className={classes.code ?? ''} tabIndex={0}>
            {Object.entries(headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
          </Code>
        ) : (
          <Text size="sm" className="muted">
            {words('noHeaders')}
          </Text>
        )}
      </details>
      {answer && (
        <details className={classes.details} open>
          <summary>{words('answer')}</summary>
          <Code block className={classes.code ?? ''} tabIndex={0}>
            {answer}
          </Code>
        </details>
      )}
    </>
  )
}
