import { Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import type { Contact, Data, Row } from '../app/shapes'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import classes from './Context.module.css'
import { EditableText } from './EditableText'

/** The customer's name, channel and addresses. The name can be edited. */
export function CustomerFacts({ row }: { row: Row }) {
  const words = useTranslations('context')
  const queries = useQueryClient()
  const key = ['live', 'contact', row.contact_id]
  const path = `/api/v2/contacts/${row.contact_id}`
  const { data } = useQuery({
    queryKey: key,
    queryFn: async () => (await call<Data<{ contact: Contact }>>('GET', path)).data.contact,
  })
  const rename = useMutation({
    mutationFn: (name: string) => call('PATCH', path, { name }),
    onError: useErrorNotice(),
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  const facts: [string, string | null | undefined][] = [
    [words('channel'), row.channel_name || row.source],
    [words('userId'), row.user_id],
    [words('email'), data?.email],
    [words('phone'), data?.phone_number],
  ]
  return (
    <>
      <EditableText
        label={words('name')}
        value={row.name}
        onSave={(name) => rename.mutateAsync(name)}
      />
      <dl className={classes.facts}>
        {facts.map(
          ([label, value]) =>
            value && (
              <div key={label} className={classes.fact}>
                <dt>{label}</dt>
                <dd>
                  <Text size="sm">{value}</Text>
                </dd>
              </div>
            ),
        )}
      </dl>
    </>
  )
}
