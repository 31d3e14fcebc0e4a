import { Code, Group, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Part } from '../../channels/widget/Part'
import { CopyButton } from '../../ui/CopyButton'
import classes from '../Deliveries.module.css'
import { VERIFY_CODE } from './verify_code'

const LANGUAGE_KEY = 'confab-verify-language'

/** Example code that verifies a signature, in the language that the user chose last. */
export function VerifyCode() {
  const words = useTranslations('deliveries')
  const [name, setName] = useState(() => localStorage.getItem(LANGUAGE_KEY) ?? 'JavaScript')
  const { code } = VERIFY_CODE.find((it) => it.name === name) ?? { code: '' }
  return (
    <Part title={words('code')} help={words('codeHelp')}>
      <NativeSelect
        label={words('language')}
        maw={240}
        data={VERIFY_CODE.map((it) => it.name)}
        value={name}
        onChange={(event) => {
          localStorage.setItem(LANGUAGE_KEY, event.currentTarget.value)
          setName(event.currentTarget.value)
        }}
      />
      <Group gap="xs" wrap="nowrap" align="start">
        <Code block className={classes.code ?? ''} flex={1} miw={0} tabIndex={0}>
          {code}
        </Code>
        <CopyButton text={code} />
      </Group>
    </Part>
  )
}
