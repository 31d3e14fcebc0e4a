import '@mantine/core/styles/Checkbox.css'
import { Button, Checkbox, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { PreChatField } from '../../app/shapes'
import { WIDGET_LANGUAGES } from './languages'
import type { PartProps } from './look'
import { Part } from './Part'
import classes from './WidgetScreen.module.css'

const FIELDS_MAX = 10
const NAME_MAX = 100
const TYPES = ['text', 'email', 'phone'] as const

/** The fields that visitors fill in before they write. */
export function FieldsPart({ draft, change }: PartProps) {
  const words = useTranslations('widget')
  const { fields } = draft
  const set = (fields: PreChatField[]) => change({ fields }, { view: 'newcomer' })
  const put = (at: number, part: Partial<PreChatField>) =>
    set(fields.map((field, index) => (index === at ? { ...field, ...part } : field)))
  const add = () => {
    const isTaken = (key: string) => fields.some((field) => field.key === key)
    let key = 'name'
    for (let number = 2; isTaken(key); number++) key = `field_${number}`
    set([...fields, { key, label: {}, type: 'text', is_required: false }])
  }
  return (
    <Part title={words('fields')} help={words('fieldsHelp')}>
      {fields.length === 0 && <Text size="sm">{words('noFields')}</Text>}
      {fields.map((field, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a field's key changes while it is edited
        <div key={at} className={classes.field}>
          <Field field={field} number={at + 1} put={(part) => put(at, part)} />
          <Button
            mt="xs"
            size="compact-sm"
            variant="default"
            onClick={() => set(fields.filter((_, index) => index !== at))}
          >
            {words('removeField', { number: at + 1 })}
          </Button>
        </div>
      ))}
      {fields.length < FIELDS_MAX && (
        <Group>
          <Button variant="default" onClick={add}>
            {words('addField')}
          </Button>
        </Group>
      )}
    </Part>
  )
}

interface FieldProps {
  field: PreChatField
  number: number
  put: (part: Partial<PreChatField>) => void
}

function Field({ field, number, put }: FieldProps) {
  const words = useTranslations('widget')
  return (
    <fieldset className={classes.row} aria-label={words('field', { number })}>
      <TextInput
        label={words('fieldKey')}
        value={field.key}
        maxLength={NAME_MAX}
        required
        withAsterisk={false}
        onChange={(event) => put({ key: event.currentTarget.value })}
      />
      {WIDGET_LANGUAGES.map(([language, name]) => (
        <TextInput
          key={language}
          label={words('fieldLabel', { language: name })}
          value={field.label[language] ?? ''}
          maxLength={NAME_MAX}
          onChange={(event) =>
            put({ label: { ...field.label, [language]: event.currentTarget.value } })
          }
        />
      ))}
      <NativeSelect
        label={words('fieldType')}
        data={TYPES.map((value) => ({ value, label: words(`types.${value}`) }))}
        value={field.type}
        onChange={(event) => put({ type: event.currentTarget.value })}
      />
      <Checkbox
        label={words('isRequired')}
        checked={field.is_required}
        onChange={(event) => put({ is_required: event.currentTarget.checked })}
      />
    </fieldset>
  )
}
