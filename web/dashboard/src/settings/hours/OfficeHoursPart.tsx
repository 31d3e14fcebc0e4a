import { Radio, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../../shared/call'
import type { Data, OfficeHours } from '../../app/shapes'
import { Part } from '../../channels/widget/Part'
import { ErrorState } from '../../ui/ErrorState'
import { SaveBar } from '../../ui/SaveBar'
import { useDone } from '../../ui/useDone'
import { useFailure } from '../../ui/useFailure'
import { ChannelTextsPart } from './ChannelTextsPart'
import { saidIn, Texts } from './Texts'
import { Week } from './Week'
import { DAYS, problemOf, USUAL } from './week'

const KEY = ['office_hours']
const PATH = '/api/v1/admin/office_hours'

type Answer = Data<OfficeHours>

/** When the office is open, and what customers are told by itself. */
export function OfficeHoursPart({ zone }: { zone: string }) {
  const words = useTranslations('hours')
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: () => call<Answer>('GET', PATH).then((answer) => answer.data),
    refetchOnMount: 'always',
  })
  return (
    <Part title={words('title')} help={words('help', { zone })}>
      {error && !data && <ErrorState error={error} onRetry={refetch} />}
      {data && (
        <>
          <Form key={JSON.stringify(data)} kept={data} />
          <ChannelTextsPart />
        </>
      )}
    </Part>
  )
}

function draftOf({ office_hours, ...kept }: OfficeHours) {
  const week = office_hours.map(({ day, starttime, endtime }) => ({ day, starttime, endtime }))
  return { ...saidIn(kept), office_hours: week }
}

function Form({ kept }: { kept: OfficeHours }) {
  const words = useTranslations('hours')
  const queries = useQueryClient()
  const showDone = useDone()
  const [draft, setDraft] = useState(() => draftOf(kept))
  const save = useMutation({
    mutationFn: () => call<Answer>('POST', PATH, draft),
    onError: useFailure(),
    onSuccess({ data }) {
      showDone(words('saved'))
      queries.setQueryData(KEY, data)
    },
  })
  const { office_hours: week } = draft
  const change = (part: Partial<typeof draft>) => setDraft((draft) => ({ ...draft, ...part }))
  function submit(event: FormEvent) {
    event.preventDefault()
    if (DAYS.every((day) => problemOf(week, day) === null)) save.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Radio.Group
          label={words('when')}
          value={week.length === 0 ? 'always' : 'hours'}
          onChange={(when) => change({ office_hours: when === 'always' ? [] : [...USUAL] })}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="always" label={words('always')} />
            <Radio value="hours" label={words('atHours')} />
          </Stack>
        </Radio.Group>
        {week.length > 0 && (
          <div>
            <Week week={week} onChange={(office_hours) => change({ office_hours })} />
            <Text size="sm" className="muted" mt="xs">
              {words('midnight')}
            </Text>
          </div>
        )}
        <Texts said={draft} change={change} />
        <SaveBar
          label={words('save')}
          isChanged={JSON.stringify(draft) !== JSON.stringify(draftOf(kept))}
          isSaving={save.isPending}
          onUndo={() => setDraft(draftOf(kept))}
        />
      </Stack>
    </form>
  )
}
