import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { CustomButton, Me } from '../app/shapes'
import { useIsOffline } from '../live/useIsOffline'
import { EmptyState } from '../ui/feedback/EmptyState'
import { ErrorState } from '../ui/feedback/ErrorState'
import { SkeletonRows } from '../ui/feedback/SkeletonRows'
import { ButtonDialog } from './ButtonDialog'
import { ButtonItem } from './ButtonItem'
import classes from './Tools.module.css'
import { useButtons } from './useTools'

/** The app's custom buttons, which are shown in every conversation and call a webhook. */
export function Buttons({ me }: { me: Me }) {
  const words = useTranslations('tools')
  const isOffline = useIsOffline()
  const { data, error, refetch } = useButtons()
  const [edited, setEdited] = useState<CustomButton | 'new' | null>(null)
  const mayWrite = me.may.includes('buttons.write')
  return (
    <Stack gap="md">
      <Group justify="space-between" align="start">
        <Text size="sm" className={classes.about}>
          {words('buttons.help')} {!mayWrite && words('buttons.onlyAdmins')}
        </Text>
        {mayWrite && (
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            disabled={isOffline}
            onClick={() => setEdited('new')}
          >
            {words('buttons.add')}
          </Button>
        )}
      </Group>
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!error && !data && <SkeletonRows count={2} height={72} />}
      {data?.length === 0 && <EmptyState title={words('buttons.none')} />}
      <ul className={classes.list} aria-label={words('parts.buttons')}>
        {data?.map((button) => (
          <ButtonItem
            key={button.id}
            button={button}
            mayWrite={mayWrite}
            onChange={() => setEdited(button)}
          />
        ))}
      </ul>
      {edited && (
        <ButtonDialog
          button={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(null)}
        />
      )}
    </Stack>
  )
}
