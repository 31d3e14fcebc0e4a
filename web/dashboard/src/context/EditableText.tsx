import { ActionIcon, Button, Group, Text, TextInput } from '@mantine/core'
import { IconPencil, IconX } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Words } from '../conversation/types/Words'
import classes from './Context.module.css'

interface EditableTextProps {
  label: string
  /** Which one, where several have the same label. */
  of?: string
  value: string
  /** What stands there is changed; a promise that fails leaves the field open. */
  onSave: (value: string) => Promise<unknown>
  onRemove?: () => void
  /** Where it may only be read. */
  isFixed?: boolean
}

/** One thing that is known, changed where it stands. */
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
        <Words>{value}</Words>
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
