import '@mantine/core/styles/Radio.css'
import { Radio, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../../shared/call'
import type { Data, OfficeHours } from '../../app/shapes'
import { Part } from '../../channels/widget/Part'
import { ErrorState } from '../../ui/feedback/ErrorState'
import { useErrorNotice } from '../../ui/feedback/useErrorNotice'
import { useSuccessNotice } from '../../ui/feedback/useSuccessNotice'
import { SaveBar } from '../../ui/forms/SaveBar'
import { useDraft } from '../../ui/forms/useDraft'
import { AutoReplyFields, autoRepliesOf } from './AutoReplyFields'
import { CHANNEL_TEXTS, ChannelTextsPart } from './ChannelTextsPart'
import { Week } from './Week'
import { DAYS, problemOf, USUAL } from './week'

const KEY = ['office_hours']
const PATH = '/api/v1/admin/office_hours'

type Answer = Data<OfficeHours>

/** The settings for office hours and automatic replies. */
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
          <Form kept={data} />
          <ChannelTextsPart />
        </>
      )}
    </Part>
  )
}

function draftOf({ office_hours, ...kept }: OfficeHours) {
  const week = office_hours.map(({ day, starttime, endtime }) => ({ day, starttime, endtime }))
  return { ...autoRepliesOf(kept), isAlways: week.length === 0, week }
}

type Draft = ReturnType<typeof draftOf>

/** Returns the request body. No hours mean that the office is always open. */
const bodyOf = ({ isAlways, week, ...replies }: Draft) => ({
  ...replies,
  office_hours: isAlways ? [] : week,
})

function Form({ kept }: { kept: OfficeHours }) {
  const words = useTranslations('hours')
  const queries = useQueryClient()
  const showDone = useSuccessNotice()
  const { draft, change, undo, settle, isChanged } = useDraft(draftOf(kept))
  const save = useMutation({
    mutationFn: (wanted: Draft) => call<Answer>('POST', PATH, bodyOf(wanted)),
    onError: useErrorNotice(),
    onSuccess({ data }, wanted) {
      showDone(words('saved'))
      settle(wanted, draftOf(data))
      queries.setQueryData(KEY, data)
      void queries.invalidateQueries({ queryKey: CHANNEL_TEXTS })
    },
  })
  const { isAlways, week } = draft
  const isValid = isAlways || (week.length > 0 && DAYS.every((day) => !problemOf(week, day)))
  function submit(event: FormEvent) {
    event.preventDefault()
    if (isValid) save.mutate(draft)
  }
  function choose(when: string) {
    const isAlways = when === 'always'
    change(isAlways || week.length > 0 ? { isAlways } : { isAlways, week: [...USUAL] })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Radio.Group label={words('when')} value={isAlways ? 'always' : 'hours'} onChange={choose}>
          <Stack gap="xs" mt="xs">
            <Radio value="always" label={words('always')} />
            <Radio value="hours" label={words('atHours')} />
          </Stack>
        </Radio.Group>
        {!isAlways && (
          <div>
            <Week week={week} onChange={(week) => change({ week })} />
            {week.length === 0 && (
              <Text size="sm" role="alert">
                {words('noHours')}
              </Text>
            )}
            <Text size="sm" className="muted" mt="xs">
              {words('midnight')}
            </Text>
          </div>
        )}
        <AutoReplyFields replies={draft} change={change} />
        <SaveBar
          label={words('save')}
          isChanged={isChanged}
          isSaving={save.isPending}
          onUndo={undo}
        />
      </Stack>
    </form>
  )
}
