import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import type { ContactProperty, Data, Me } from '../app/shapes'
import { mayAssign } from '../conversation/lock'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { AddValueForm } from './AddValueForm'
import classes from './Context.module.css'
import { EditableText } from './EditableText'

type Change = { set: [label: string, value: string] } | { remove: number }

/** The customer's properties, which apply to all of their rooms. Agents can only read them. */
export function Properties({ me, contact }: { me: Me; contact: number }) {
  const words = useTranslations('context')
  const queries = useQueryClient()
  const key = ['live', 'properties', contact]
  const path = `/api/v2/contacts/${contact}/properties`
  const { data } = useQuery({
    queryKey: key,
    queryFn: () => call<Data<{ customer_properties: ContactProperty[] }>>('GET', path),
  })
  const change = useMutation({
    mutationFn: (change: Change) =>
      'set' in change
        ? call('POST', `/api/v2/contacts/properties/${contact}`, {
            label: change.set[0],
            value: change.set[1],
          })
        : call('DELETE', `${path}/${change.remove}`),
    onError: useErrorNotice(),
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  })
  const set = (label: string, value: string) => change.mutateAsync({ set: [label, value] })
  return (
    <>
      <ul className={classes.list} aria-label={words('properties')}>
        {data?.data.customer_properties.map((property) => (
          <li key={property.id}>
            <EditableText
              label={property.label}
              value={property.value}
              isFixed={!mayAssign(me)}
              onSave={(value) => set(property.label, value)}
              onRemove={() => change.mutate({ remove: property.id })}
            />
          </li>
        ))}
      </ul>
      {mayAssign(me) && <AddValueForm what={words('addProperty')} onAdd={set} />}
    </>
  )
}
