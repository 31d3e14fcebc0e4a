import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import type { Data, Person } from '../app/shapes'
import classes from './Audit.module.css'
import { type Deed, deedsOf, SUBJECT_NAMES } from './deeds'
import { type AuditFilters, areNarrow } from './filters'

interface FilterFieldsProps {
  filters: AuditFilters
  onChange: (changed: Partial<AuditFilters>) => void
}

/** By whom, what, and when. */
export function FilterFields({ filters, onChange }: FilterFieldsProps) {
  const words = useTranslations('audit')
  const anything = { value: '', label: words('anything') }
  const people = usePeople()
  const deeds = SUBJECT_NAMES.map((subject) => ({
    group: words(`subjects.${subject}`),
    items: [
      {
        value: subject as string,
        label: words('allOf', { subject: words(`subjects.${subject}`) }),
      },
      ...deedsOf(subject).map((deed: Deed) => ({ value: deed, label: words(`deeds.${deed}`) })),
    ],
  }))
  return (
    <search className={classes.filters} aria-label={words('filters')}>
      <NativeSelect
        label={words('actor')}
        data={[anything, ...people.map(({ id, name }) => ({ value: String(id), label: name }))]}
        value={filters.actor ?? ''}
        onChange={(event) => onChange({ actor: Number(event.currentTarget.value) || null })}
      />
      <NativeSelect
        label={words('what')}
        data={[anything, ...deeds]}
        value={filters.what}
        onChange={(event) => onChange({ what: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label={words('from')}
        value={filters.from}
        onChange={(event) => onChange({ from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label={words('until')}
        value={filters.until}
        onChange={(event) => onChange({ until: event.currentTarget.value })}
      />
      {areNarrow(filters) && (
        <Button
          variant="default"
          onClick={() => onChange({ actor: null, what: '', from: '', until: '' })}
        >
          {words('clear')}
        </Button>
      )}
    </search>
  )
}

/** Those who work in the app. */
function usePeople(): Person[] {
  const path = '/api/v2/admin/agents?limit=1000'
  const { data } = useQuery({
    queryKey: ['choices', path],
    queryFn: () => call<Data<{ agents: Person[] }>>('GET', path).then(({ data }) => data),
    staleTime: 60_000,
  })
  return data?.agents ?? []
}
