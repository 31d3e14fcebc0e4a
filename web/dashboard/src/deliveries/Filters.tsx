import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useLocation } from 'wouter'
import { KINDS, OTHER_KINDS } from '../webhooks/kinds'
import { useEndpoints } from '../webhooks/useEndpoints'
import classes from './Deliveries.module.css'
import { type DeliveryFilters, NO_FILTERS, STANDINGS, searchOf } from './filters'
import { ERRORS, useErrorWords } from './useErrorWords'
import { useKindName } from './useKindName'

const DELIVERED = [...KINDS, ...OTHER_KINDS]

/** The filters of the list, stored in the URL. */
export function Filters({ filters }: { filters: DeliveryFilters }) {
  const words = useTranslations('deliveries')
  const errorWords = useErrorWords()
  const kindName = useKindName()
  const [path, goTo] = useLocation()
  const any = { value: '', label: words('any') }
  const change = (changed: Partial<DeliveryFilters>) =>
    goTo(path + searchOf({ ...filters, ...changed }), { replace: true })
  const field = (name: keyof DeliveryFilters) => ({
    size: 'xs' as const,
    label: words(name),
    value: filters[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      change({ [name]: event.currentTarget.value }),
  })
  const { data: endpoints } = useEndpoints()
  const ids = (endpoints ?? []).flatMap(({ id, kind, name }) =>
    id ? [{ value: id, label: name ? `${kindName(kind)}: ${name}` : kindName(kind) }] : [],
  )
  return (
    <search className={classes.filters}>
      <NativeSelect
        {...field('kind')}
        data={[any, ...DELIVERED.map((value) => ({ value, label: kindName(value) }))]}
      />
      <NativeSelect
        {...field('standing')}
        data={[any, ...STANDINGS.map((value) => ({ value, label: words(`standings.${value}`) }))]}
      />
      <NativeSelect
        {...field('error')}
        data={[any, ...ERRORS.map((value) => ({ value, label: errorWords(value) }))]}
      />
      {ids.length > 0 && <NativeSelect {...field('endpoint')} data={[any, ...ids]} />}
      <TextInput {...field('room')} inputMode="numeric" />
      <TextInput {...field('from')} type="datetime-local" />
      <TextInput {...field('until')} type="datetime-local" />
      {searchOf(filters) !== '' && (
        <Button variant="default" size="xs" onClick={() => change(NO_FILTERS)}>
          {words('clear')}
        </Button>
      )}
    </search>
  )
}
