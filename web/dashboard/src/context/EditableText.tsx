import { ActionIcon, Button, Group, Text, TextInput } from '@mantine/core'
import { IconPencil, IconX } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Words } from '../conversation/types/Words'
import classes from './Context.module.css'

interface EditableTextProps {
  label: string
  value: string
  /** What stands there is changed; a promise that fails leaves the field open. */
  onSave: (value: string) => Promise<unknown>
  onRemove?: () => void
  /** Where it may only be read. */
  isFixed?: boolean
}

/** One thing that is known, changed where it stands. */
export function EditableText({ label, value, onSave, onRemove, isFixed }: EditableTextProps) {
  const words = useTranslations('context')
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
        <Words>{value}</Words>
      </div>
      {!isFixed && (
        <ActionIcon
          variant="subtle"
          aria-label={words('change', { label })}
          onClick={() => setEditing(true)}
        >
          <IconPencil size={16} aria-hidden />
        </ActionIcon>
      )}
      {!isFixed && onRemove && (
        <ActionIcon
          variant="subtle"
          aria-label={words('remove', { label })}
          onClick={() => onRemove()}
        >
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
      // It is said elsewhere why; what was typed stays.
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
