import { Button, Group, Stack, Switch, Text, Title } from '@mantine/core'
import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Channel, Me } from '../app/shapes'
import { useTemporarySecret } from '../app_keys/useTemporarySecret'
import { AnswersForm } from './AnswersForm'
import { ChannelCode } from './ChannelCode'
import { ChannelKey } from './ChannelKey'
import classes from './Channels.module.css'
import { ChannelTests } from './ChannelTests'
import { CodeToCopy } from './CodeToCopy'
import { ConfirmDialog } from './ConfirmDialog'
import { codeFor, sendAddress } from './code'
import { NewKey } from './NewKey'
import { useChangeChannel, useDeleteChannel } from './useChannels'

/** A custom channel: the URL, key and code for its gateway, and its settings. */
export function ChannelCard({ me, channel }: { me: Me; channel: Channel }) {
  const words = useTranslations('channels')
  const title = useId()
  const [asked, setAsked] = useState<'rotate' | 'delete' | null>(null)
  const change = useChangeChannel(channel.id)
  const remove = useDeleteChannel(channel.id)
  const address = sendAddress(me.server.public_url, me.app.code)
  const close = () => setAsked(null)
  const fresh = useTemporarySecret<string>()
  const rotate = () =>
    change.mutate(
      { rotate_identifier_key: true },
      {
        onSuccess({ data }) {
          close()
          fresh.show(data.custom_channel.identifier_key)
        },
      },
    )
  return (
    <section className={classes.card} aria-labelledby={title}>
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2} size="h4" id={title}>
            {channel.name}
          </Title>
          <Switch
            label={channel.is_active ? words('on') : words('off')}
            aria-label={words('isOn', { name: channel.name })}
            checked={channel.is_active}
            disabled={change.isPending}
            onChange={(event) => change.mutate({ is_active: event.currentTarget.checked })}
          />
        </Group>
        {!channel.is_active && <Text size="sm">{words('offHelp')}</Text>}
        <div>
          <Text size="sm" fw={600}>
            {words('address')}
          </Text>
          <CodeToCopy text={address} />
        </div>
        {fresh.value === null ? (
          <ChannelKey value={channel.identifier_key} />
        ) : (
          <NewKey value={fresh.value} onDone={fresh.hide} />
        )}
        <ChannelCode codeFor={(language) => codeFor(language, address)} />
        <AnswersForm channel={channel} change={change} />
        <ChannelTests channel={channel} />
        <Group>
          <Button variant="default" onClick={() => setAsked('rotate')}>
            {words('rotate')}
          </Button>
          <Button variant="default" onClick={() => setAsked('delete')}>
            {words('delete')}
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        isOpen={asked === 'rotate'}
        onClose={close}
        title={words('rotateTitle', { name: channel.name })}
        help={words('rotateHelp')}
        yes={words('rotate')}
        isPending={change.isPending}
        onYes={rotate}
      />
      <ConfirmDialog
        isOpen={asked === 'delete'}
        onClose={close}
        title={words('deleteTitle', { name: channel.name })}
        help={words('deleteHelp')}
        yes={words('delete')}
        isPending={remove.isPending}
        onYes={() => remove.mutate(undefined, { onSuccess: close })}
      />
    </section>
  )
}
