import { Button, Group, Stack } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useDone } from '../../ui/useDone'
import { laterFields } from './kinds'
import { RefusedAlert } from './RefusedAlert'
import { ServiceFields } from './ServiceFields'
import { useFilling } from './useFilling'
import { type Service, textOf, useChange, useCheck } from './useServices'

/** Other tokens for the same account. What is left empty stays; what waited goes out then. */
export function ReplaceForm({ kind, record }: Service) {
  const words = useTranslations('services')
  const showDone = useDone()
  const change = useChange(kind.word, record.id)
  const check = useCheck(record.id)
  const fields = laterFields(kind)
  const { filled, fill, wrong, others, submit, empty, isEmpty } = useFilling({
    fields,
    error: change.error,
    mayBeEmpty: true,
    onFilled: (given) =>
      change.mutate(given, {
        onSuccess() {
          empty()
          showDone(words('replaced'))
          // Whether the service takes it is shown above.
          check.mutate()
        },
      }),
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <ServiceFields
          fields={fields}
          filled={filled}
          onFill={fill}
          wrong={wrong}
          now={(name) => textOf(record, name)}
        />
        <RefusedAlert error={change.error} said={others} />
        <Group>
          <Button type="submit" variant="default" loading={change.isPending} disabled={isEmpty}>
            {words('replaceIt')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
