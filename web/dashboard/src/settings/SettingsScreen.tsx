import { Stack } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import { AdminWords } from '../app/AdminWords'
import { ME } from '../app/me'
import type { AppSettings, Data } from '../app/shapes'
import { ErrorState } from '../ui/feedback/ErrorState'
import { Loading } from '../ui/feedback/Loading'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { SaveBar } from '../ui/forms/SaveBar'
import { useDraft } from '../ui/forms/useDraft'
import { Screen } from '../ui/Screen'
import { AgentsPart } from './AgentsPart'
import { AppPart } from './AppPart'
import { ConversationsPart } from './ConversationsPart'
import { areTimesInOrder, changesOf, type SettingsDraft } from './draft'
import { OfficeHoursPart } from './hours/OfficeHoursPart'
import { VisibilityPart } from './VisibilityPart'
import { WaitingPart } from './WaitingPart'

const KEY = ['settings']
const PATH = '/api/v2/settings'

type Answer = Data<{ settings: AppSettings }>

export default function SettingsScreen() {
  return (
    <AdminWords>
      <Loaded />
    </AdminWords>
  )
}

function Loaded() {
  const words = useTranslations('settings')
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: () => call<Answer>('GET', PATH).then((answer) => answer.data.settings),
    // Another admin may have changed the settings.
    refetchOnMount: 'always',
  })
  if (!data && !error) return <Loading />
  if (!data) {
    return (
      <Screen title={words('title')}>
        <ErrorState error={error} onRetry={refetch} />
      </Screen>
    )
  }
  return (
    <Screen title={words('title')}>
      <Form kept={data} />
      <OfficeHoursPart zone={data.time_zone} />
    </Screen>
  )
}

function Form({ kept }: { kept: AppSettings }) {
  const words = useTranslations('settings')
  const queries = useQueryClient()
  const showDone = useSuccessNotice()
  const { draft, base, change, undo, settle, isChanged } = useDraft<SettingsDraft>(kept)
  const save = useMutation({
    mutationFn: (wanted: SettingsDraft) => call<Answer>('PATCH', PATH, changesOf(base, wanted)),
    onError: useErrorNotice(),
    onSuccess({ data }, wanted) {
      showDone(words('saved'))
      settle(wanted, data.settings)
      queries.setQueryData(KEY, data.settings)
      // The page itself uses some of them: the name, the time zone and the waiting times.
      void queries.invalidateQueries({ queryKey: ME })
    },
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    if (areTimesInOrder(draft)) save.mutate(draft)
  }
  const parts = { draft, change }
  return (
    <form onSubmit={submit}>
      <Stack gap="xl">
        <AppPart {...parts} />
        <ConversationsPart {...parts} />
        <AgentsPart {...parts} />
        <WaitingPart {...parts} />
        <VisibilityPart {...parts} />
        <SaveBar
          label={words('saveSettings')}
          isChanged={isChanged}
          isSaving={save.isPending}
          onUndo={undo}
        />
      </Stack>
    </form>
  )
}
