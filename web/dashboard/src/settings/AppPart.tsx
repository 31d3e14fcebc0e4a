import { NativeSelect, Text, TextInput } from '@mantine/core'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl'
import { LANGUAGES } from '../app/WordsProvider'
import { Part } from '../channels/widget/Part'
import type { PartProps } from './draft'
import { zonesWith } from './zones'

const NAME_MAX = 255

/** The app's name, time zone and languages. */
export function AppPart({ draft, change }: PartProps) {
  const words = useTranslations('settings')
  const zones = useMemo(() => zonesWith(draft.time_zone), [draft.time_zone])
  const names: Record<string, string> = LANGUAGES
  const languages = draft.languages.map((tag) => names[tag] ?? tag).join(', ')
  return (
    <Part title={words('app')}>
      <TextInput
        label={words('name')}
        description={words('nameHelp')}
        value={draft.app_name}
        maxLength={NAME_MAX}
        required
        withAsterisk={false}
        onChange={(event) => change({ app_name: event.currentTarget.value })}
      />
      <NativeSelect
        label={words('zone')}
        description={words('zoneHelp')}
        data={zones}
        value={draft.time_zone}
        onChange={(event) => change({ time_zone: event.currentTarget.value })}
      />
      <Text size="sm">{words('languages', { languages })}</Text>
    </Part>
  )
}
