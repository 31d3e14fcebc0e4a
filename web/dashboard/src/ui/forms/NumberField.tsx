import { TextInput, type TextInputProps } from '@mantine/core'

interface NumberFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  value: number | null
  min: number
  max: number
  onChange: (value: number | null) => void
}

/** A field for an integer. An empty field is `null`; if the field is required, its form cannot be
 * submitted then. */
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
