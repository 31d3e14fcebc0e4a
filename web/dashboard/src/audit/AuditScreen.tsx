import { useMemo } from 'react'
import { useTranslations } from 'use-intl'
import { useLocation, useSearch } from 'wouter'
import { AdminWords } from '../app/AdminWords'
import { Screen } from '../ui/Screen'
import { Entries } from './Entries'
import { FilterFields } from './FilterFields'
import { type AuditFilters, filtersOf, searchOf } from './filters'

/** The audit log: who changed what, when, and from which address. */
export default function AuditScreen() {
  return (
    <AdminWords>
      <Audit />
    </AdminWords>
  )
}

function Audit() {
  const words = useTranslations('audit')
  const search = useSearch()
  const [, go] = useLocation()
  const filters = useMemo(() => filtersOf(search), [search])
  const narrow = (changed: Partial<AuditFilters>) =>
    go(`/audit${searchOf({ ...filters, ...changed })}`, { replace: true })
  return (
    <Screen title={words('title')}>
      <FilterFields filters={filters} onChange={narrow} />
      <Entries filters={filters} />
    </Screen>
  )
}
