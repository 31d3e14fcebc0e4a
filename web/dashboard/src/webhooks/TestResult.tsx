import { CloseButton, Code, Group, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Attempt } from '../app/shapes'
import { PhaseBars } from '../deliveries/attempts/PhaseBars'
import { useErrorWords } from '../deliveries/useErrorWords'
import { AllowAddress } from './AllowAddress'
import classes from './Webhooks.module.css'

interface TestResultProps {
  attempt: Attempt
  url: string
  onClose: () => void
}

/** The receiver's response to an example. */
export function TestResult({ attempt, url, onClose }: TestResultProps) {
  const words = useTranslations('webhooks')
  const errorWords = useErrorWords()
  const { error, status, answer } = attempt
  return (
    <div className={classes.result} role="status">
      <Group justify="space-between" wrap="nowrap">
        <Text fw={600}>
          {words(error ? 'testFailed' : 'tested')}
          {status ? ` (${status})` : ''}
        </Text>
        <CloseButton aria-label={words('closeTest')} onClick={onClose} />
      </Group>
      {error && <Text size="sm">{errorWords(error)}</Text>}
      {error === 'blocked_address' && <AllowAddress url={url} />}
      <PhaseBars phases={attempt.phases_us} />
      {answer && (
        <Code block className={classes.answer ?? ''} tabIndex={0}>
          {answer}
        </Code>
      )}
      <Text size="xs" className="muted">
        {words('testHelp')}
      </Text>
    </div>
  )
}
