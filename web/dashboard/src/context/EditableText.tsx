import { ActionIcon, Button, Group, Text, TextInput } from '@mantine/core'
import { IconPencil, IconX } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { FormattedText } from '../conversation/types/FormattedText'
import classes from './Context.module.css'

interface EditableTextProps {
  label: string
  /** Name used instead of the label in the buttons' accessible names, where several fields have the
   * same label. */
  of?: string
  value: string
  /** Saves the new value; if the promise rejects, the field stays open. */
  onSave: (value: string) => Promise<unknown>
  onRemove?: () => void
  /** Whether the value is read-only. */
  isFixed?: boolean
}

/** A labeled value that is edited in place. */
export function EditableText(props: EditableTextProps) {
  const { label, value, onSave, onRemove, isFixed } = props
  const words = useTranslations('context')
  const named = { label: props.of ?? label }
  const [isEditing, setEditing] = useState(false)
  if (isEditing) {
    return <Field label={label} value={value} onSave={onSave} onClose={() => setEditing(false)} />
  }
  return (
    <div className={classes.field}>
      <div className={classes.fieldText}>
        <Text component="span" display="block" className={classes.label}>
          {label}
        </Text>
        <FormattedText>{value}</FormattedText>
      </div>
      {!isFixed && (
        <ActionIcon
          variant="subtle"
          aria-label={words('change', named)}
          onClick={() => setEditing(true)}
        >
          <IconPencil size={16} aria-hidden />
        </ActionIcon>
      )}
      {!isFixed && onRemove && (
        <ActionIcon variant="subtle" aria-label={words('remove', named)} onClick={() => onRemove()}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      )}
    </div>
  )
}

interface FieldProps {
  label: string
  value: string
  onSave: (value: string) => Promise<unknown>
  onClose: () => void
}

function Field({ label, value, onSave, onClose }: FieldProps) {
  const words = useTranslations('context')
  const [text, setText] = useState(value)
  const [isBusy, setBusy] = useState(false)
  async function submit(event: FormEvent) {
    event.preventDefault()
    if (text.trim() === '') return
    setBusy(true)
    try {
      if (text.trim() !== value) await onSave(text.trim())
      onClose()
    } catch {
      // The caller shows the error; keep the text.
      setBusy(false)
    }
  }
  return (
    <form onSubmit={submit} className={classes.fieldText}>
      <TextInput
        size="xs"
        label={label}
        value={text}
        autoFocus
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
      />
      <Group gap="xs" mt={4}>
        <Button size="compact-xs" type="submit" loading={isBusy}>
          {words('save')}
        </Button>
        <Button size="compact-xs" variant="default" onClick={onClose}>
          {words('cancel')}
        </Button>
      </Group>
    </form>
  )
}
