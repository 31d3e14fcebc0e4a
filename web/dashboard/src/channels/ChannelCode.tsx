import { Tabs, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { CodeToCopy } from './CodeToCopy'
import { type CodeLanguage, LANGUAGES } from './code'

/** Example code that posts a customer's message, in several languages. */
export function ChannelCode({ codeFor }: { codeFor: (language: CodeLanguage) => string }) {
  const words = useTranslations('channels')
  return (
    <div>
      <Text size="sm" fw={600}>
        {words('code')}
      </Text>
      <Tabs defaultValue={LANGUAGES[0]}>
        <Tabs.List aria-label={words('code')}>
          {LANGUAGES.map((language) => (
            <Tabs.Tab key={language} value={language}>
              {language}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {LANGUAGES.map((language) => (
          <Tabs.Panel key={language} value={language} pt="xs">
            <CodeToCopy text={codeFor(language)} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </div>
  )
}
