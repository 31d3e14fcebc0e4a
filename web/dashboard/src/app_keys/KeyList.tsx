import { Button, Code, Group, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { AppKeys } from '../app/shapes'
import { CopyButton } from '../ui/CopyButton'
import classes from './Keys.module.css'

/** The app code, and the last characters of the app's keys. */
export function KeyList({ keys, onShow }: { keys: AppKeys; onShow: () => void }) {
  const words = useTranslations('appKeys')
  const { app_code, secret_key, sdk_secret } = keys
  const masked = (last4: string | null | undefined) => `••••••••${last4 ?? ''}`
  return (
    <>
      <dl className={classes.list}>
        <dt>{words('names.app_code')}</dt>
        <dd>
          <Group gap="xs" wrap="nowrap">
            <Code className={classes.key ?? ''}>{app_code}</Code>
            <CopyButton text={app_code} />
          </Group>
          <Text size="sm" className="muted">
            {words('help.app_code')}
          </Text>
        </dd>
        <dt>{words('names.secret_key')}</dt>
        <dd>
          <Code>{masked(secret_key.last4)}</Code>
          <Text size="sm" className="muted">
            {words('help.secret_key')}
          </Text>
        </dd>
        <dt>{words('names.sdk_secret')}</dt>
        <dd>
          {sdk_secret.is_set ? <Code>{masked(sdk_secret.last4)}</Code> : words('notSet')}
          <Text size="sm" className="muted">
            {words('help.sdk_secret')}
          </Text>
        </dd>
      </dl>
      <Group>
        <Button variant="default" onClick={onShow}>
          {words('show')}
        </Button>
      </Group>
    </>
  )
}
