import { TextInput, type TextInputProps } from '@mantine/core'

interface NumberFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  value: number | null
  min: number
  max: number
  onChange: (value: number | null) => void
}

/** A whole number. Nothing is `null`: the form it stands in does not go off with it if the field is
 * required. */
export function NumberField({ value, onChange, ...rest }: NumberFieldProps) {
  return (
    <TextInput
      type="number"
      step={1}
      inputMode="numeric"
      withAsterisk={false}
      value={value === null || Number.isNaN(value) ? '' : value}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? null : Number(currentTarget.value))
      }
      {...rest}
    />
  )
}
