import { VisuallyHidden } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useParams, useSearch } from 'wouter'
import { AdminWords } from '../app/AdminWords'
import type { Me } from '../app/shapes'
import { EmptyState } from '../ui/feedback/EmptyState'
import { useTitle } from '../ui/useTitle'
import classes from './Deliveries.module.css'
import { DeliveryList } from './DeliveryList'
import { DeliveryView } from './DeliveryView'
import { filtersOf } from './filters'

/** The screen of webhook deliveries: the list, and one delivery with its attempts. */
export default function DeliveriesScreen(_: { me: Me }) {
  return (
    <AdminWords>
      <Deliveries />
    </AdminWords>
  )
}

function Deliveries() {
  const words = useTranslations('deliveries')
  const { id } = useParams<{ id?: string }>()
  const filters = filtersOf(useSearch())
  useTitle(...(id ? [words('one', { id })] : []), words('title'))
  return (
    <main id="main" className={classes.screen} data-has-one={Boolean(id)} tabIndex={-1}>
      {/* On narrow screens the list is hidden while a delivery is open, but the title must
          remain. */}
      <VisuallyHidden component="h1">{words('title')}</VisuallyHidden>
      <section className={classes.list} aria-label={words('list')} data-region tabIndex={-1}>
        <DeliveryList filters={filters} chosen={id} />
      </section>
      <div className={classes.one}>
        {id && <DeliveryView key={id} id={id} filters={filters} />}
        {!id && <EmptyState title={words('chooseOne')} />}
      </div>
    </main>
  )
}
