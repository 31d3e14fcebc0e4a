import { Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { CodeToCopy } from '../CodeToCopy'
import classes from './Providers.module.css'
import { StepText } from './Steps'
import { type ProviderEntry, textOf } from './useProviderChannels'

/** The webhook URL to enter at the provider, with instructions. */
export function HookPart({ kind, record }: ProviderEntry) {
  const words = useTranslations('services')
  const { hook, needsPublicUrl } = kind
  const address = record.webhook_url ?? ''
  if (address === '') {
    const why = needsPublicUrl ? 'notReached' : 'isAsked'
    return (
      <Text size="sm" className={needsPublicUrl ? (classes.trouble ?? '') : ''}>
        {words(why)}
      </Text>
    )
  }
  const isByItself = !hook || (hook.unless !== undefined && textOf(record, hook.unless) !== '')
  const token = record.verify_token ?? ''
  // Stored tokens are masked except for their last characters.
  const isWhole = token !== '' && !token.startsWith('****')
  return (
    <Stack gap="sm">
      {isByItself ? (
        <Text size="sm">{words('byItself', { service: kind.name })}</Text>
      ) : (
        hook && <StepText step={hook} />
      )}
      <div>
        <Text size="sm" fw={600}>
          {words('address')}
        </Text>
        <CodeToCopy text={address} />
      </div>
      {isWhole && (
        <div className={classes.fresh}>
          <Text size="sm" fw={600}>
            {words('verifyToken')}
          </Text>
          <Text size="sm">{words('shownOnce')}</Text>
          <CodeToCopy text={token} />
        </div>
      )}
    </Stack>
  )
}
