import { useTranslations } from 'use-intl'
import { AdminWords } from '../app/AdminWords'
import type { Me } from '../app/shapes'
import { Part } from '../channels/widget/Part'
import { ErrorState } from '../ui/feedback/ErrorState'
import { SkeletonRows } from '../ui/feedback/SkeletonRows'
import { Screen } from '../ui/Screen'
import { Channels } from './Channels'
import { People } from './People'
import { Queue } from './Queue'
import { useBoard } from './useBoard'

/** The live overview: the queue, the agents, and the load of each channel. */
export default function BoardScreen({ me }: { me: Me }) {
  return (
    <AdminWords>
      <Office me={me} />
    </AdminWords>
  )
}

function Office({ me }: { me: Me }) {
  const words = useTranslations('board')
  const { data, error, refetch } = useBoard()
  return (
    <Screen isWide title={words('title')} help={words('help')}>
      {!data && error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows count={4} />}
      {data && (
        <>
          <Queue me={me} queue={data.queue} />
          <Part title={words('people')}>
            <People me={me} agents={data.agents} />
          </Part>
          <Part title={words('channels')}>
            <Channels channels={data.channels} />
          </Part>
        </>
      )}
    </Screen>
  )
}
