import { useMemo } from 'react'
import { useTranslations } from 'use-intl'
import { useLocation, useSearch } from 'wouter'
import { AdminWords } from '../app/AdminWords'
import type { Me } from '../app/shapes'
import { AdminsOnly } from '../ui/AdminsOnly'
import { Screen } from '../ui/Screen'
import { Entries } from './Entries'
import { FilterFields } from './FilterFields'
import { type AuditFilters, filtersOf, searchOf } from './filters'

/** Who changed what, when, and from where. */
export default function AuditScreen({ me }: { me: Me }) {
  return (
    <AdminWords>
      <Allowed me={me} />
    </AdminWords>
  )
}

function Allowed({ me }: { me: Me }) {
  const words = useTranslations('audit')
  const search = useSearch()
  const [, go] = useLocation()
  const filters = useMemo(() => filtersOf(search), [search])
  const narrow = (changed: Partial<AuditFilters>) =>
    go(`/audit${searchOf({ ...filters, ...changed })}`, { replace: true })
  return (
    <AdminsOnly me={me} right="settings" title={words('title')}>
      <Screen title={words('title')}>
        <FilterFields filters={filters} onChange={narrow} />
        <Entries filters={filters} />
      </Screen>
    </AdminsOnly>
  )
}
