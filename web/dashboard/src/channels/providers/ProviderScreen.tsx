import { Anchor, Button, Group, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Link, useLocation, useParams } from 'wouter'
import { CallError } from '../../../../shared/call'
import { AdminWords } from '../../app/AdminWords'
import { ChannelTextsForm } from '../../settings/hours/ChannelTextsPart'
import { ErrorState } from '../../ui/feedback/ErrorState'
import { SkeletonRows } from '../../ui/feedback/SkeletonRows'
import { useErrorNotice } from '../../ui/feedback/useErrorNotice'
import { useSuccessNotice } from '../../ui/feedback/useSuccessNotice'
import { Screen } from '../../ui/Screen'
import { ConfirmDialog } from '../ConfirmDialog'
import { Part } from '../widget/Part'
import { HealthPart } from './HealthPart'
import { HookPart } from './HookPart'
import classes from './Providers.module.css'
import { ReplaceForm } from './ReplaceForm'
import { SettingForm } from './SettingForm'
import {
  type ProviderEntry,
  textOf,
  useChange,
  useDisconnect,
  useProviderChannels,
} from './useProviderChannels'

const NAME_MAX = 255
const URL_MAX = 2048

/** The screen of one provider channel: its health and settings. */
export default function ProviderScreen() {
  return (
    <AdminWords>
      <Loaded />
    </AdminWords>
  )
}

function Loaded() {
  const words = useTranslations('services')
  const { id } = useParams<{ id: string }>()
  const { data, error, refetch } = useProviderChannels()
  const service = data?.find(({ record }) => String(record.id) === id)
  const back = (
    <Anchor component={Link} href="/channels">
      {words('all')}
    </Anchor>
  )
  const title = service?.record.name ?? words('title')
  return (
    <Screen title={title} actions={back}>
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!error && !data && <SkeletonRows count={3} height={120} />}
      {data && !service && <ErrorState error={new CallError(404, words('gone'))} />}
      {service && <Parts key={service.record.id} {...service} />}
    </Screen>
  )
}

function Parts({ kind, record }: ProviderEntry) {
  const words = useTranslations('services')
  const account = textOf(record, kind.account)
  return (
    <>
      <Group justify="space-between">
        <Text className="muted">{account ? `${kind.name} · ${account}` : kind.name}</Text>
        <OnSwitch kind={kind} record={record} />
      </Group>
      <Part title={words('health')}>
        <HealthPart
          // Switching the channel on or off changes its state: load it again.
          key={String(record.is_active)}
          id={record.id}
          service={kind.name}
        />
      </Part>
      <Part title={words('comesIn')}>
        <HookPart kind={kind} record={record} />
      </Part>
      <Part title={words('settings')}>
        <SettingForm
          kind={kind}
          record={record}
          name="name"
          label={words('name')}
          charsMax={NAME_MAX}
          isRequired
        />
        {kind.options.map((option) => (
          <OptionSwitch
            key={option.name}
            kind={kind}
            record={record}
            name={option.name}
            label={words(option.label)}
          />
        ))}
      </Part>
      {'forward_url' in record && <Forwarding kind={kind} record={record} />}
      <Part title={words('replace')} help={words('replaceHelp')}>
        <ReplaceForm kind={kind} record={record} />
      </Part>
      <Part title={words('texts')} help={words('textsHelp')}>
        <ChannelTextsForm channel={record.id} />
      </Part>
      <Delete kind={kind} record={record} />
    </>
  )
}

/** The settings for forwarding the provider's events to the app's own URL. */
function Forwarding(service: ProviderEntry) {
  const words = useTranslations('services')
  return (
    <Part title={words('forwarding')} help={words('forwardingHelp')}>
      <SettingForm
        {...service}
        name="forward_url"
        label={words('forwardUrl')}
        charsMax={URL_MAX}
        isUrl
      />
      {textOf(service.record, 'forward_url') !== '' && (
        <OptionSwitch {...service} name="forward_enabled" label={words('forwards')} />
      )}
    </Part>
  )
}

function OnSwitch({ kind, record }: ProviderEntry) {
  const words = useTranslations('channels')
  const change = useChange(kind.word, record.id)
  const showFailure = useErrorNotice()
  return (
    <Switch
      label={record.is_active ? words('on') : words('off')}
      aria-label={words('isOn', { name: record.name })}
      checked={record.is_active}
      disabled={change.isPending}
      onChange={({ currentTarget: { checked } }) =>
        change.mutate({ is_active: checked }, { onError: showFailure })
      }
    />
  )
}

function OptionSwitch({
  kind,
  record,
  name,
  label,
}: ProviderEntry & { name: string; label: string }) {
  const change = useChange(kind.word, record.id)
  const showFailure = useErrorNotice()
  return (
    <Switch
      label={label}
      checked={record[name] === true}
      disabled={change.isPending}
      onChange={({ currentTarget: { checked } }) =>
        change.mutate({ [name]: checked }, { onError: showFailure })
      }
    />
  )
}

function Delete({ kind, record }: ProviderEntry) {
  const words = useTranslations('channels')
  const serviceWords = useTranslations('services')
  const [isAsked, setAsked] = useState(false)
  const [, navigate] = useLocation()
  const showDone = useSuccessNotice()
  const showFailure = useErrorNotice()
  const { name } = record
  const remove = useDisconnect(kind.word, record.id, () => {
    showDone(serviceWords('deleted', { name }))
    navigate('/channels', { replace: true })
  })
  return (
    <div className={classes.end}>
      <Button variant="default" onClick={() => setAsked(true)}>
        {words('delete')}
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={words('deleteTitle', { name })}
        help={serviceWords('deleteHelp', { service: kind.name })}
        yes={words('delete')}
        isPending={remove.isPending}
        onYes={() => remove.mutate({}, { onError: showFailure })}
      />
    </div>
  )
}
