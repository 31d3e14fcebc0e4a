import '@mantine/core/styles/Checkbox.css'
import { Alert, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { CallError } from '../../../shared/call'
import type { Endpoint } from '../app/shapes'
import { Dialog } from '../ui/Dialog'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { AllowAddress } from './AllowAddress'
import { endpointInputOf } from './endpointInputOf'
import type { Kind } from './kinds'
import { usePutEndpoint } from './useEndpoints'

interface EndpointFormProps {
  kind: Kind
  /** The registered endpoint, if any. */
  kept: Endpoint | undefined
  onClose: () => void
}

/** The form for a kind's URL and delivery limits. */
export default function EndpointForm({ kind, kept, onClose }: EndpointFormProps) {
  const words = useTranslations('webhooks')
  const showDone = useSuccessNotice()
  const put = usePutEndpoint(kind)
  const [url, setUrl] = useState(kept?.url ?? '')
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    put.mutate(endpointInputOf(new FormData(event.currentTarget)), {
      onSuccess() {
        onClose()
        showDone(words('saved'))
      },
    })
  }
  const title = words('formTitle', { kind: words(`kind.${kind}`) })
  return (
    <Dialog isOpen onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          {put.error && <FormError error={put.error} url={url} />}
          <TextInput
            name="url"
            type="url"
            label={words('url')}
            description={words('urlHelp')}
            placeholder="https://example.com/hook"
            required
            withAsterisk={false}
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
            data-autofocus
          />
          <Checkbox
            name="is_enabled"
            label={words('isEnabled')}
            description={words('isEnabledHelp')}
            defaultChecked={true}
          />
          <Limits kept={kept} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words('cancel')}
            </Button>
            <Button type="submit" loading={put.isPending}>
              {words('save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

function Limits({ kept }: { kept: Endpoint | undefined }) {
  const words = useTranslations('webhooks')
  const number = { type: 'number', required: true, withAsterisk: false }
  return (
    <>
      <Text fw={600} size="sm">
        {words('limits')}
      </Text>
      <TextInput
        {...number}
        name="timeout"
        label={words('timeout')}
        defaultValue={(kept?.timeout_ms ?? 10_000) / 1000}
        min={0.1}
        max={60}
        step="any"
      />
      <TextInput
        {...number}
        name="at_once_max"
        label={words('atOnce')}
        defaultValue={kept?.at_once_max ?? 64}
        min={1}
        max={1000}
      />
      <TextInput
        {...number}
        required={false}
        name="per_second_max"
        label={words('perSecond')}
        description={words('perSecondHelp')}
        defaultValue={kept?.per_second_max ?? ''}
        min={1}
        max={100_000}
      />
      <TextInput
        {...number}
        name="block"
        label={words('block')}
        defaultValue={(kept?.block_s ?? 900) / 60}
        min={0}
        max={14_400}
        step="any"
      />
    </>
  )
}

/** The server's error. If the address is not allowed, the option that allows it. */
function FormError({ error, url }: { error: Error; url: string }) {
  const words = useTranslations('states')
  const known = error instanceof CallError && error.status !== 0 ? error : null
  return (
    <Alert color="red" variant="outline" role="alert">
      <Text size="sm">{known ? (known.details[0] ?? known.message) : words('unreachable')}</Text>
      {known?.status === 400 && URL.canParse(url) && <AllowAddress url={url} />}
    </Alert>
  )
}
