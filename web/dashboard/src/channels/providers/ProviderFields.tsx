import { TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { FieldValues } from './field_values'
import type { Field } from './kinds'

interface ProviderFieldsProps {
  fields: readonly Field[]
  filled: FieldValues
  onFill: (part: FieldValues) => void
  /** Error messages by field name. */
  wrong: Record<string, string>
  /** Returns the current value of a field; an empty input keeps it. */
  currentValue?: (name: string) => string
}

const TEXT_MAX = 1024

/** The fields of a provider channel. Secrets are sent to the server and never shown again. */
export function ProviderFields({
  fields,
  filled,
  onFill,
  wrong,
  currentValue,
}: ProviderFieldsProps) {
  const words = useTranslations('services')
  const help = ({ name, help, isSecret }: Field) => {
    const kept = currentValue?.(name)
    if (!kept) return words(help)
    const is = isSecret ? words('kept', { end: kept.replace(/^\*+/, '') || '…' }) : kept
    return `${words(help)} ${words('now', { is })}`
  }
  return fields.map((field) => (
    <TextInput
      key={field.name}
      name={field.name}
      label={
        field.isRequired || currentValue
          ? words(field.label)
          : words('optional', { name: words(field.label) })
      }
      description={help(field)}
      placeholder={field.example ?? ''}
      // Browsers offer to save passwords, but these are not the user's own.
      type={field.isSecret ? 'password' : 'text'}
      autoComplete={field.isSecret ? 'new-password' : 'off'}
      autoCapitalize="off"
      spellCheck={false}
      maxLength={TEXT_MAX}
      required={Boolean(field.isRequired) && !currentValue}
      withAsterisk={false}
      value={filled[field.name] ?? ''}
      error={wrong[field.name]}
      onChange={({ currentTarget }) => onFill({ [field.name]: currentTarget.value })}
    />
  ))
}
