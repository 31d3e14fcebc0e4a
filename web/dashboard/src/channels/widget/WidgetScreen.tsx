import { Button, Group, Stack, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../../shared/call'
import { isColour } from '../../../../shared/colour'
import { AdminWords } from '../../app/AdminWords'
import type { Data, Me, WidgetSettings } from '../../app/shapes'
import { ErrorState } from '../../ui/ErrorState'
import { Loading } from '../../ui/Loading'
import { useDone } from '../../ui/useDone'
import { useFailure } from '../../ui/useFailure'
import { useTitle } from '../../ui/useTitle'
import { AccessPart } from './AccessPart'
import { FieldsPart } from './FieldsPart'
import { LooksPart } from './LooksPart'
import { Preview } from './Preview'
import { Snippet } from './Snippet'
import { TextsPart } from './TextsPart'
import classes from './WidgetScreen.module.css'

const KEY = ['widget_settings']
const PATH = '/api/v2/widget_settings'

type Answer = Data<{ widget: WidgetSettings }>

/** How the widget looks, what it says and asks for, and who may show it; with a preview beside. */
export default function WidgetScreen({ me }: { me: Me }) {
  return (
    <AdminWords>
      <Loaded me={me} />
    </AdminWords>
  )
}

function Loaded({ me }: { me: Me }) {
  const words = useTranslations('widget')
  useTitle(words('title'))
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: () => call<Answer>('GET', PATH).then((answer) => answer.data.widget),
  })
  if (error) return <ErrorState error={error} onRetry={refetch} />
  if (!data) return <Loading />
  return <Configurator key={JSON.stringify(data)} me={me} kept={data} />
}

/** What each part changes. */
export interface PartProps {
  draft: WidgetSettings
  change: (part: Partial<WidgetSettings>) => void
}

function Configurator({ me, kept }: { me: Me; kept: WidgetSettings }) {
  const words = useTranslations('widget')
  const queries = useQueryClient()
  const showDone = useDone()
  const [draft, setDraft] = useState(kept)
  const change = (part: Partial<WidgetSettings>) => setDraft((draft) => ({ ...draft, ...part }))
  const save = useMutation({
    mutationFn: () => call<Answer>('PUT', PATH, draft),
    onError: useFailure(),
    onSuccess({ data }) {
      showDone(words('saved'))
      queries.setQueryData(KEY, data.widget)
    },
  })
  const isChanged = JSON.stringify(draft) !== JSON.stringify(kept)
  function submit(event: FormEvent) {
    event.preventDefault()
    if (isColour(draft.theme.colour)) save.mutate()
  }
  return (
    <main id="main" className={classes.screen} data-region tabIndex={-1}>
      <form className={classes.form} onSubmit={submit}>
        <Stack gap="xl">
          <Title order={1} size="h2">
            {words('title')}
          </Title>
          <Snippet me={me} />
          <LooksPart draft={draft} change={change} />
          <TextsPart draft={draft} change={change} />
          <FieldsPart draft={draft} change={change} />
          <AccessPart draft={draft} change={change} />
          <Group className={classes.save ?? ''}>
            <Button type="submit" loading={save.isPending} disabled={!isChanged}>
              {words('save')}
            </Button>
            <Button variant="default" disabled={!isChanged} onClick={() => setDraft(kept)}>
              {words('undo')}
            </Button>
          </Group>
        </Stack>
      </form>
      <Preview me={me} draft={draft} />
    </main>
  )
}
