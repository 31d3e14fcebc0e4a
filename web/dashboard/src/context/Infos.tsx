import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import type { Data, Info, Row } from '../app/shapes'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { AddValueForm } from './AddValueForm'
import classes from './Context.module.css'
import { EditableText } from './EditableText'

type Change = { set: [key: string, value: string] } | { remove: string }

/** The customer's details in this room only. */
export function Infos({ row }: { row: Row }) {
  const words = useTranslations('context')
  const queries = useQueryClient()
  const key = ['live', 'infos', row.room_id]
  const path = `/api/v2/customer_rooms/${row.room_id}/infos`
  const { data } = useQuery({
    queryKey: key,
    queryFn: () => call<Data<{ infos: Info[] }>>('GET', path),
  })
  const change = useMutation({
    mutationFn: (change: Change) =>
      'set' in change
        ? call('PUT', `${path}/${encodeURIComponent(change.set[0])}`, { value: change.set[1] })
        : call('DELETE', `${path}/${encodeURIComponent(change.remove)}`),
    onError: useErrorNotice(),
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  })
  const set = (label: string, value: string) => change.mutateAsync({ set: [label, value] })
  return (
    <>
      <ul className={classes.list} aria-label={words('infos')}>
        {data?.data.infos.map((info) => (
          <li key={info.key}>
            <EditableText
              label={info.key}
              value={info.value}
              onSave={(value) => set(info.key, value)}
              onRemove={() => change.mutate({ remove: info.key })}
            />
          </li>
        ))}
      </ul>
      <AddValueForm what={words('addInfo')} onAdd={set} />
    </>
  )
}
