import { Button, Group, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'

interface AddPairProps {
  /** What is added, in a word or two. */
  what: string
  onAdd: (label: string, value: string) => Promise<unknown>
}

/** Adds something that is known: what it is, and what it says. */
export function AddPair({ what, onAdd }: AddPairProps) {
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
      // It is said elsewhere why; what was typed stays.
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
