import { Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import type { Contact } from '../app/shapes'
import classes from '../context/Context.module.css'
import { DateTime } from '../context/DateTime'
import { EditableText } from '../context/EditableText'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'

/** The customer's name and addresses. The name can be edited. */
export function ContactFacts({ contact, isFixed }: { contact: Contact; isFixed: boolean }) {
  const words = useTranslations('context')
  const more = useTranslations('contacts')
  const queries = useQueryClient()
  const rename = useMutation({
    mutationFn: (name: string) => call('PATCH', `/api/v2/contacts/${contact.id}`, { name }),
    onError: useErrorNotice(),
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  const { user_id, email, phone_number, created_at, last_customer_message_date } = contact
  const facts = [
    [words('userId'), user_id],
    [words('email'), email],
    [words('phone'), phone_number],
    [more('firstSeen'), <DateTime key="first" at={created_at} />],
    [
      more('lastSaid'),
      last_customer_message_date && <DateTime key="last" at={last_customer_message_date} />,
    ],
  ] as const
  return (
    <>
      <EditableText
        label={words('name')}
        value={contact.name}
        isFixed={isFixed}
        onSave={(name) => rename.mutateAsync(name)}
      />
      <dl className={classes.facts}>
        {facts.map(
          ([label, value]) =>
            value && (
              <div key={label} className={classes.fact}>
                <dt>{label}</dt>
                <dd>
                  <Text size="sm" component="span">
                    {value}
                  </Text>
                </dd>
              </div>
            ),
        )}
      </dl>
    </>
  )
}
