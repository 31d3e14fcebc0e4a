import { Button, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Redirect, useLocation, useSearch } from 'wouter'
import { AdminWords } from '../app/AdminWords'
import { usePreferences } from '../app/PreferencesProvider'
import type { Me } from '../app/shapes'
import { ErrorState } from '../ui/feedback/ErrorState'
import { SkeletonRows } from '../ui/feedback/SkeletonRows'
import { Screen } from '../ui/Screen'
import classes from './Start.module.css'
import { Step } from './Step'
import { STEPS, useSteps } from './useSteps'

/** The first five steps of an admin, which are checked off automatically. Sign-in links open it
 * until the admin closes it; the menu always has it. */
export default function Start({ me }: { me: Me }) {
  const { preferences } = usePreferences()
  const isByLink = new URLSearchParams(useSearch()).has('link')
  if (isByLink && preferences.isStarted) return <Redirect to="/inbox" replace />
  return (
    <AdminWords>
      <Steps me={me} />
    </AdminWords>
  )
}

function Steps({ me }: { me: Me }) {
  const words = useTranslations('start')
  const { change } = usePreferences()
  const [, go] = useLocation()
  const { done, error, refetch } = useSteps(me)
  const count = done && STEPS.filter((step) => done[step]).length
  return (
    <Screen
      title={words('title', { app: me.app.name })}
      actions={
        <Button
          variant="default"
          onClick={() => {
            change({ isStarted: true })
            go('/inbox')
          }}
        >
          {words(count === STEPS.length ? 'finish' : 'later')}
        </Button>
      }
    >
      <Text>{words('intro')}</Text>
      <Text role="status" fw={600}>
        {count !== undefined && words('count', { count, all: STEPS.length })}
      </Text>
      {!done && error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!done && !error && <SkeletonRows count={STEPS.length} height={72} />}
      {done && (
        <ol className={classes.steps}>
          {STEPS.map((step) => (
            <Step key={step} step={step} isDone={done[step]} app={me.app.code} />
          ))}
        </ol>
      )}
      <Text size="sm" className="muted">
        {words('again')}
      </Text>
    </Screen>
  )
}
