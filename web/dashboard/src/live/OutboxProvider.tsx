import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { call } from '../../../shared/call'
import { Outbox, type OutboxItem } from '../../../shared/outbox'
import { openStore } from '../../../shared/outbox_store'
import type { Me } from '../app/shapes'

interface OutboxBus {
  items: readonly OutboxItem[]
  outbox: Outbox | null
}

const Bus = createContext<OutboxBus>({ items: [], outbox: null })

/** What was written here and is not on the server yet. */
export const useOutbox = () => useContext(Bus)

/** Tells other tabs that something changed in what they share. */
const CHANNEL = 'confab-outbox'

export function OutboxProvider({ me, children }: { me: Me; children: ReactNode }) {
  const [items, setItems] = useState<readonly OutboxItem[]>([])
  const [outbox, setOutbox] = useState<Outbox | null>(null)
  const owner = `${me.app.code}/${me.user.id}`
  useEffect(() => {
    const tabs = new BroadcastChannel(CHANNEL)
    let isGone = false
    let begun: Outbox | null = null
    void openStore('confab').then((store) => {
      if (isGone) return
      begun = new Outbox({
        owner,
        store,
        send: ({ room_id, unique_temp_id, body }) =>
          call('POST', `/api/v2/customer_rooms/${room_id}/messages`, { ...body, unique_temp_id }),
        // It is read anew before each message that is sent, and nearly always as it was.
        onChange: (items) => setItems((shown) => (areSame(items, shown) ? shown : items)),
        onWrite: () => tabs.postMessage(null),
      })
      tabs.onmessage = () => void begun?.reload()
      setOutbox(begun)
      void begun.start()
    })
    const online = () => begun?.now()
    addEventListener('online', online)
    return () => {
      isGone = true
      removeEventListener('online', online)
      begun?.stop()
      tabs.close()
    }
  }, [owner])
  const bus = useMemo(() => ({ items, outbox }), [items, outbox])
  return <Bus value={bus}>{children}</Bus>
}

const areSame = (some: readonly OutboxItem[], others: readonly OutboxItem[]): boolean =>
  some.length === others.length &&
  some.every(({ unique_temp_id, refused }, at) => {
    const other = others[at]
    return unique_temp_id === other?.unique_temp_id && refused === other.refused
  })
