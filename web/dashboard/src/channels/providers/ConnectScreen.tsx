import { Anchor, Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Link, Redirect, useParams } from 'wouter'
import { AdminWords } from '../../app/AdminWords'
import type { Me } from '../../app/shapes'
import { Screen } from '../../ui/Screen'
import { Part } from '../widget/Part'
import { FormErrorAlert } from './FormErrorAlert'
import { HealthPart } from './HealthPart'
import { HookPart } from './HookPart'
import { isReachable } from './isReachable'
import { firstFields, KINDS, type ProviderKind } from './kinds'
import { ProviderFields } from './ProviderFields'
import classes from './Providers.module.css'
import { Steps } from './Steps'
import { SHOWN_PROVIDERS } from './shown_providers'
import { type ProviderChannel, type ProviderEntry, textOf, useConnect } from './useProviderChannels'
import { useProviderForm } from './useProviderForm'

const NAME_MAX = 255

/** The guide that connects an account of a provider, step by step. */
export default function ConnectScreen({ me }: { me: Me }) {
  const { kind: asked } = useParams<{ kind: string }>()
  const word = SHOWN_PROVIDERS.find((it) => it === asked)
  if (word === undefined) return <Redirect to="/channels" replace />
  return (
    <AdminWords>
      <Guide key={word} me={me} kind={KINDS[word]} />
    </AdminWords>
  )
}

function Guide({ me, kind }: { me: Me; kind: ProviderKind }) {
  const words = useTranslations('services')
  const [connected, setConnected] = useState<ProviderChannel | null>(null)
  const back = (
    <Anchor component={Link} href="/channels">
      {words('all')}
    </Anchor>
  )
  if (connected) {
    return (
      <Screen title={words('connected', { name: connected.name })} actions={back}>
        <Connected kind={kind} record={connected} />
      </Screen>
    )
  }
  const isUnreached = kind.needsPublicUrl && !isReachable(me.server.public_url)
  return (
    <Screen
      title={words('connect', { service: kind.name })}
      help={words(kind.about)}
      actions={back}
    >
      {isUnreached && (
        <Text size="sm" className={classes.trouble ?? ''}>
          {words('notReached')}
        </Text>
      )}
      <Part title={words('first', { service: kind.name })}>
        <Steps kind={kind} />
      </Part>
      <Part title={words('then')} help={words('thenHelp')}>
        <ConnectForm kind={kind} onConnected={setConnected} />
      </Part>
    </Screen>
  )
}

interface ConnectFormProps {
  kind: ProviderKind
  onConnected: (record: ProviderChannel) => void
}

function ConnectForm({ kind, onConnected }: ConnectFormProps) {
  const words = useTranslations('services')
  const connect = useConnect(kind.word)
  const fields = firstFields(kind)
  const [name, setName] = useState('')
  const [options, setOptions] = useState<Record<string, boolean>>({})
  const { filled, fill, wrong, others, submit } = useProviderForm({
    fields,
    error: connect.error,
    onFilled(given) {
      const called = name.trim() === '' ? {} : { name: name.trim() }
      connect.mutate(
        { ...given, ...options, ...called },
        { onSuccess: (record) => record && onConnected(record) },
      )
    },
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <ProviderFields fields={fields} filled={filled} onFill={fill} wrong={wrong} />
        {kind.options.map((option) => (
          <Switch
            key={option.name}
            label={words(option.label)}
            checked={options[option.name] ?? option.isOn ?? false}
            onChange={({ currentTarget: { checked } }) =>
              setOptions((options) => ({ ...options, [option.name]: checked }))
            }
          />
        ))}
        <TextInput
          label={words('optional', { name: words('name') })}
          description={words('nameHelp', { service: kind.name })}
          maxLength={NAME_MAX}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <FormErrorAlert error={connect.error} messages={others} />
        <Group>
          <Button type="submit" loading={connect.isPending}>
            {words('connectIt')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** The remaining steps after connecting, a health check, and secrets that are shown only once. */
function Connected({ kind, record }: ProviderEntry) {
  const words = useTranslations('services')
  const begin = useRef<HTMLDivElement>(null)
  // The form is unmounted, so the focus was lost.
  useEffect(() => begin.current?.focus(), [])
  const account = textOf(record, kind.account)
  return (
    <>
      <div ref={begin} tabIndex={-1}>
        <Text>{words('isThere', { service: kind.name, account: account || record.name })}</Text>
      </div>
      {(kind.hook || record.webhook_url === '') && (
        <Part title={words('comesIn')}>
          <HookPart kind={kind} record={record} />
        </Part>
      )}
      <Part title={words('health')}>
        <HealthPart id={record.id} service={kind.name} isAskedFirst />
      </Part>
      <Part title={words('tryIt')}>
        <Text size="sm">{words(kind.tryIt)}</Text>
      </Part>
      <Group>
        <Button component={Link} href={`/channels/${record.id}`}>
          {words('openIt')}
        </Button>
      </Group>
    </>
  )
}
