import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react'
import { call } from '../../../shared/call'
import { Outbox, type OutboxItem } from '../../../shared/outbox'
import { openStore } from '../../../shared/outbox_store'
import type { Me } from '../app/shapes'
import { notesKey } from '../context/useNotes'

interface OutboxBus {
  items: readonly OutboxItem[]
  outbox: Outbox | null
}

const EMPTY: OutboxBus = { items: [], outbox: null }
const Messages = createContext(EMPTY)
const Notes = createContext(EMPTY)

/** Returns the messages written on this device that are not on the server yet, and their outbox. */
export const useOutbox = () => useContext(Messages)

/** Returns the unsent notes and their outbox. Notes have a separate database, so that no version of
 * this page can send one to the customer. */
export const useNoteOutbox = () => useContext(Notes)

type Send = (item: OutboxItem) => Promise<unknown>

const sendMessage: Send = ({ room_id, unique_temp_id, body }) =>
  call('POST', `/api/v2/customer_rooms/${room_id}/messages`, { ...body, unique_temp_id })

const sendNote: Send = ({ room_id, unique_temp_id, body }) =>
  call('POST', `/api/v2/customer_rooms/${room_id}/notes`, { ...body, unique_temp_id })

export function OutboxProvider({ me, children }: { me: Me; children: ReactNode }) {
  const queries = useQueryClient()
  const owner = `${me.app.code}/${me.user.id}`
  const messages = useOpenOutbox('confab', owner, sendMessage)
  const sendOneNote = useCallback<Send>(
    async (item) => {
      await sendNote(item)
      void queries.invalidateQueries({ queryKey: notesKey(item.room_id) })
    },
    [queries],
  )
  const notes = useOpenOutbox('confab-notes', `${owner}/notes`, sendOneNote)
  return (
    <Messages value={messages}>
      <Notes value={notes}>{children}</Notes>
    </Messages>
  )
}

/** Opens the outbox in the database of this name, which is shared with the other tabs. */
function useOpenOutbox(name: string, owner: string, send: Send): OutboxBus {
  const [items, setItems] = useState<readonly OutboxItem[]>([])
  const [outbox, setOutbox] = useState<Outbox | null>(null)
  useEffect(() => {
    // Notifies the other tabs of changes in the shared store.
    const tabs = new BroadcastChannel(`${name}-outbox`)
    let isGone = false
    let opened: Outbox | null = null
    void openStore(name).then((store) => {
      if (isGone) return
      opened = new Outbox({
        owner,
        store,
        send: async (item) => void (await send(item)),
        // Each send reloads the store, which is nearly always unchanged.
        onChange: (items) => setItems((shown) => (areSame(items, shown) ? shown : items)),
        onWrite: () => tabs.postMessage(null),
      })
      tabs.onmessage = () => void opened?.reload()
      setOutbox(opened)
      void opened.start()
    })
    const online = () => opened?.now()
    addEventListener('online', online)
    return () => {
      isGone = true
      removeEventListener('online', online)
      opened?.stop()
      tabs.close()
    }
  }, [name, owner, send])
  return useMemo(() => ({ items, outbox }), [items, outbox])
}

const areSame = (some: readonly OutboxItem[], others: readonly OutboxItem[]): boolean =>
  some.length === others.length &&
  some.every(({ unique_temp_id, refused }, at) => {
    const other = others[at]
    return unique_temp_id === other?.unique_temp_id && refused === other.refused
  })
