import { Badge, Button, Code, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Division } from '../app/shapes'
import { ConfirmDialog } from '../channels/ConfirmDialog'
import { EditableText } from '../context/EditableText'
import { ErrorState } from '../ui/feedback/ErrorState'
import { SkeletonRows } from '../ui/feedback/SkeletonRows'
import classes from './People.module.css'
import { useDivisions, usePeopleMutation } from './usePeople'

/** The list of divisions, with their ids for use in API calls. */
export function Divisions({ mayWrite }: { mayWrite: boolean }) {
  const words = useTranslations('people')
  const id = useId()
  const { data, error, refetch } = useDivisions()
  const { mutate, isPending } = usePeopleMutation()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const name = String(new FormData(form).get('name') ?? '').trim()
    if (name === '') return
    mutate(['/api/v2/divisions', { name }], { onSuccess: () => form.reset() })
  }
  return (
    <section aria-labelledby={id}>
      <Stack gap="sm">
        <Title order={2} size="h4" id={id}>
          {words('divisions')}
        </Title>
        <Text size="sm" className="muted">
          {words('divisionsHelp')}
        </Text>
        {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
        {!error && !data && <SkeletonRows count={2} height={44} />}
        <ul className={classes.list} aria-labelledby={id}>
          {data?.map((division) => (
            <Item key={division.id} division={division} mayWrite={mayWrite} />
          ))}
        </ul>
        {mayWrite && (
          <form onSubmit={submit}>
            <Group align="end" gap="sm">
              <TextInput name="name" label={words('newDivision')} required withAsterisk={false} />
              <Button type="submit" variant="default" loading={isPending}>
                {words('addDivision')}
              </Button>
            </Group>
          </form>
        )}
      </Stack>
    </section>
  )
}

function Item({ division, mayWrite }: { division: Division; mayWrite: boolean }) {
  const words = useTranslations('people')
  const { mutate, mutateAsync, isPending } = usePeopleMutation()
  const [isAsking, setAsking] = useState(false)
  const path = `/api/v2/divisions/${division.id}`
  const { name, is_default } = division
  return (
    <li className={classes.item}>
      <div className={classes.grow}>
        <EditableText
          label={words('division')}
          of={name}
          value={name}
          isFixed={!mayWrite}
          onSave={(name) => mutateAsync([`${path}/update`, { name }])}
          onRemove={() => setAsking(true)}
        />
      </div>
      <Text size="sm" component="span">
        {words('id')} <Code>{division.id}</Code>
      </Text>
      {is_default ? (
        <Badge variant="outline">{words('default')}</Badge>
      ) : (
        mayWrite && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={words('makeDefaultOf', { name })}
            onClick={() => mutate([`${path}/set_default`])}
          >
            {words('makeDefault')}
          </Button>
        )
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={words('deleteDivisionTitle', { name })}
        help={words('deleteDivisionText')}
        yes={words('delete')}
        isPending={isPending}
        onYes={() => mutate([`${path}/delete`], { onSuccess: () => setAsking(false) })}
      />
    </li>
  )
}
