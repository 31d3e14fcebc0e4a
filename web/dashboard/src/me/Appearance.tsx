import { Group, type MantineColorScheme, NativeSelect, useMantineColorScheme } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { LANGUAGES, type Language } from '../app/WordsProvider'
import { SCHEMES } from './schemes'
import { useMyLanguage } from './useMyLanguage'

export function Appearance() {
  const words = useTranslations('myself')
  const { language, change } = useMyLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const languages = Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))
  return (
    <Group gap="md">
      <NativeSelect
        label={words('language')}
        data={languages}
        value={language}
        onChange={(event) => change(event.currentTarget.value as Language)}
      />
      <NativeSelect
        label={words('colours')}
        data={SCHEMES.map((value) => ({ value, label: words(value) }))}
        value={colorScheme}
        onChange={(event) => setColorScheme(event.currentTarget.value as MantineColorScheme)}
      />
    </Group>
  )
}
