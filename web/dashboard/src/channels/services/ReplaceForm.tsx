import { Button, Group, Stack } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useSuccessNotice } from '../../ui/useSuccessNotice'
import { laterFields } from './kinds'
import { RefusedAlert } from './RefusedAlert'
import { ServiceFields } from './ServiceFields'
import { useFilling } from './useFilling'
import { type Service, textOf, useChange, useCheck } from './useServices'

/** The form that replaces an account's tokens. Empty fields keep their values. Waiting messages are
 * sent afterwards. */
export function ReplaceForm({ kind, record }: Service) {
  const words = useTranslations('services')
  const showDone = useSuccessNotice()
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
          // The health section shows whether the provider accepts the new tokens.
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
