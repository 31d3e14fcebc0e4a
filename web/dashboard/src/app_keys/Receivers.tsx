import { Code, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { KeyChange } from '../app/shapes'
import { Part } from '../channels/widget/Part'
import classes from './Keys.module.css'
import { phaseOf } from './steps'

const HEADERS = ['webhook-signature', 'service-signature-key'] as const

/** What webhook receivers and API clients must do at this step of the rotation. */
export function Receivers({ change }: { change: KeyChange | null }) {
  const words = useTranslations('appKeys')
  const phase = phaseOf(change)
  return (
    <Part title={words('receivers')} help={words(`phase.${phase}`)}>
      <dl className={classes.list}>
        {HEADERS.map((header) => (
          <div key={header} className={classes.pair}>
            <dt>
              <Text size="sm" className="muted" component="span">
                {words('looksAt')}
              </Text>{' '}
              <Code>{header}</Code>
            </dt>
            <dd>
              <Text>{words(`do.${header}.${phase}`)}</Text>
              <Text size="sm" className="muted">
                {words('signedWith', { keys: words(`signed.${header}.${phase}`) })}
              </Text>
            </dd>
          </div>
        ))}
        <div className={classes.pair}>
          <dt>
            <Text size="sm" className="muted" component="span">
              {words('calls')}
            </Text>
          </dt>
          <dd>{words(`callers.${phase}`)}</dd>
        </div>
      </dl>
    </Part>
  )
}
