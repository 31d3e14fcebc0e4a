import { Button, Group, Stack } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useSuccessNotice } from '../../ui/feedback/useSuccessNotice'
import { FormErrorAlert } from './FormErrorAlert'
import { laterFields } from './kinds'
import { ProviderFields } from './ProviderFields'
import { type ProviderEntry, textOf, useChange, useCheck } from './useProviderChannels'
import { useProviderForm } from './useProviderForm'

/** The form that replaces an account's tokens. Empty fields keep their values. Waiting messages are
 * sent afterwards. */
export function ReplaceForm({ kind, record }: ProviderEntry) {
  const words = useTranslations('services')
  const showDone = useSuccessNotice()
  const change = useChange(kind.word, record.id)
  const check = useCheck(record.id)
  const fields = laterFields(kind)
  const { filled, fill, wrong, others, submit, empty, isEmpty } = useProviderForm({
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
        <ProviderFields
          fields={fields}
          filled={filled}
          onFill={fill}
          wrong={wrong}
          currentValue={(name) => textOf(record, name)}
        />
        <FormErrorAlert error={change.error} messages={others} />
        <Group>
          <Button type="submit" variant="default" loading={change.isPending} disabled={isEmpty}>
            {words('replaceIt')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
