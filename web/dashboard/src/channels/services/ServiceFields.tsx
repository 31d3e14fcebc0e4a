import { TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Filled } from './filling'
import type { Field } from './kinds'

interface ServiceFieldsProps {
  fields: readonly Field[]
  filled: Filled
  onFill: (part: Filled) => void
  /** What is wrong, by the names of fields. */
  wrong: Record<string, string>
  /** What stands there now; a field that is left empty stays so. */
  now?: (name: string) => string
}

const TEXT_MAX = 1024

/** What a service's channel is opened with. Secrets go in and never come back. */
export function ServiceFields({ fields, filled, onFill, wrong, now }: ServiceFieldsProps) {
  const words = useTranslations('services')
  const help = ({ name, help, isSecret }: Field) => {
    const kept = now?.(name)
    if (!kept) return words(help)
    const is = isSecret ? words('kept', { end: kept.replace(/^\*+/, '') || '…' }) : kept
    return `${words(help)} ${words('now', { is })}`
  }
  return fields.map((field) => (
    <TextInput
      key={field.name}
      name={field.name}
      label={
        field.isRequired || now
          ? words(field.label)
          : words('optional', { name: words(field.label) })
      }
      description={help(field)}
      placeholder={field.example ?? ''}
      // Browsers offer to keep passwords; these are no one's own.
      type={field.isSecret ? 'password' : 'text'}
      autoComplete={field.isSecret ? 'new-password' : 'off'}
      autoCapitalize="off"
      spellCheck={false}
      maxLength={TEXT_MAX}
      required={Boolean(field.isRequired) && !now}
      withAsterisk={false}
      value={filled[field.name] ?? ''}
      error={wrong[field.name]}
      onChange={({ currentTarget }) => onFill({ [field.name]: currentTarget.value })}
    />
  ))
}
