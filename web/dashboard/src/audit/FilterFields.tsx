import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Person } from '../app/shapes'
import { ALL_AGENTS, useChoices } from '../ui/forms/useChoices'
import classes from './Audit.module.css'
import { type AuditAction, actionsOf, SUBJECT_NAMES } from './actions'
import { type AuditFilters, isFiltered } from './filters'

interface FilterFieldsProps {
  filters: AuditFilters
  onChange: (changed: Partial<AuditFilters>) => void
}

/** The filters of the audit log: actor, action and dates. */
export function FilterFields({ filters, onChange }: FilterFieldsProps) {
  const words = useTranslations('audit')
  const anything = { value: '', label: words('anything') }
  const people = useChoices<{ agents: Person[] }>(ALL_AGENTS)?.agents ?? []
  const actions = SUBJECT_NAMES.map((subject) => ({
    group: words(`subjects.${subject}`),
    items: [
      {
        value: subject as string,
        label: words('allOf', { subject: words(`subjects.${subject}`) }),
      },
      ...actionsOf(subject).map((action: AuditAction) => ({
        value: action,
        label: words(`deeds.${action}`),
      })),
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
        data={[anything, ...actions]}
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
      {isFiltered(filters) && (
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
