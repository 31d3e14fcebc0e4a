import { Button, Group, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'

interface AddPairProps {
  /** Label of the button and the form. */
  what: string
  onAdd: (label: string, value: string) => Promise<unknown>
}

/** A form that adds a named value. */
export function AddValueForm({ what, onAdd }: AddPairProps) {
  const words = useTranslations('context')
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [label, value] = ['label', 'value'].map((it) => String(form.get(it) ?? '').trim())
    if (!label || !value) return
    setBusy(true)
    try {
      await onAdd(label, value)
      setOpen(false)
    } catch {
      // The caller shows the error; keep the text.
    } finally {
      setBusy(false)
    }
  }
  if (!isOpen) {
    return (
      <Group>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => setOpen(true)}
        >
          {what}
        </Button>
      </Group>
    )
  }
  return (
    <form onSubmit={submit} aria-label={what}>
      <TextInput size="xs" name="label" label={words('pairName')} required autoFocus />
      <TextInput size="xs" name="value" label={words('pairValue')} required />
      <Group gap="xs" mt={4}>
        <Button size="compact-xs" type="submit" loading={isBusy}>
          {words('add')}
        </Button>
        <Button size="compact-xs" variant="default" onClick={() => setOpen(false)}>
          {words('cancel')}
        </Button>
      </Group>
    </form>
  )
}
