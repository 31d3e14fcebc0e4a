import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useLocation } from 'wouter'
import type { Agent } from '../app/shapes'
import { Dialog } from '../ui/Dialog'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { usePeopleMutation } from './usePeople'

/** The button and dialog that delete an agent. Their messages remain. */
export function DeletePerson({ person }: { person: Agent }) {
  const words = useTranslations('people')
  const showDone = useSuccessNotice()
  const [, go] = useLocation()
  const [isAsking, setAsking] = useState(false)
  const { mutate, isPending } = usePeopleMutation()
  const { name } = person
  function remove() {
    mutate([`/api/v1/admin/agent/${person.id}/delete`], {
      onSuccess() {
        showDone(words('deleted', { name }))
        go('/people')
      },
    })
  }
  return (
    <Group>
      <Button variant="default" onClick={() => setAsking(true)}>
        {words('delete')}
      </Button>
      <Dialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={words('deleteTitle', { name })}
      >
        <Text size="sm">{words('deleteText')}</Text>
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={() => setAsking(false)}>
            {words('cancel')}
          </Button>
          <Button color="red.9" loading={isPending} onClick={remove}>
            {words('delete')}
          </Button>
        </Group>
      </Dialog>
    </Group>
  )
}
