import { Alert, Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { CallError, call } from '../../../shared/call'
import type { AppKeys, Data, Me, RevealedKeys } from '../app/shapes'
import { Part } from '../channels/widget/Part'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { useNow } from '../ui/useNow'
import { KeyList } from './KeyList'
import { type KeyActionBody, PasswordDialog } from './PasswordDialog'
import { Receivers } from './Receivers'
import { RevealedKeysBox } from './RevealedKeysBox'
import { Steps } from './Steps'
import { type KeyAction, runningChange } from './steps'
import { useTemporarySecret } from './useTemporarySecret'

interface KeysPageProps {
  me: Me
  keys: AppKeys
  reload: () => Promise<unknown>
}

export function KeysPage({ me, keys, reload }: KeysPageProps) {
  const words = useTranslations('appKeys')
  const showDone = useSuccessNotice()
  const [asked, setAsked] = useState<KeyAction | null>(null)
  const [isMeanwhile, setMeanwhile] = useState(false)
  const shown = useTemporarySecret<RevealedKeys>()
  const change = runningChange(keys.change ?? null, useNow(30_000))
  /** Runs a key action. Not a query or mutation of the cache, because the cache would keep
   * passwords and keys for a while. */
  async function act(action: KeyAction, proof: KeyActionBody) {
    setMeanwhile(false)
    try {
      const { data } = await call<Data<{ keys?: RevealedKeys }>>(
        'POST',
        `/api/v2/app/keys/${action}`,
        proof,
      )
      const revealed = textsIn(data.keys)
      if (revealed) shown.show(revealed)
      else shown.hide()
      if (action !== 'reveal') showDone(words(`ask.${action}.done`))
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 409) throw error
      setMeanwhile(true)
    }
    setAsked(null)
    await reload()
  }
  return (
    <>
      {isMeanwhile && (
        <Alert color="yellow" variant="outline" role="alert">
          {words('meanwhile')}
        </Alert>
      )}
      <Part title={words('keys')}>
        <KeyList keys={keys} onShow={() => setAsked('reveal')} />
        {shown.value && (
          <RevealedKeysBox keys={shown.value} until={shown.until} onHide={shown.hide} />
        )}
      </Part>
      <Part title={words('change')} help={words('changeHelp')}>
        <Steps change={change} onAction={setAsked} />
      </Part>
      <Receivers change={change} />
      <Part title={words('rotate')} help={words('rotateHelp')}>
        <Group>
          <Button color="red.9" onClick={() => setAsked('rotate')}>
            {words('rotateNow')}
          </Button>
        </Group>
      </Part>
      {asked && (
        <PasswordDialog
          key={asked}
          me={me}
          action={asked}
          onClose={() => setAsked(null)}
          onSubmit={(proof) => act(asked, proof)}
        />
      )}
    </>
  )
}

/** Returns the keys of a response, or null: some steps return only the state of the rotation. */
function textsIn(keys: RevealedKeys | undefined): RevealedKeys | null {
  const names = ['secret_key', 'staged_key', 'sdk_secret'] as const
  const found = names.filter((name) => typeof keys?.[name] === 'string')
  return found.length === 0 ? null : Object.fromEntries(found.map((name) => [name, keys?.[name]]))
}
