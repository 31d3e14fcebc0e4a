import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { CallError, call } from '../../../../shared/call'
import type { CustomButton, Data, Press } from '../../app/shapes'

/** A custom button that was pressed here, and the outcome. */
export interface ButtonPress {
  key: number
  label: string
  state: Press['state']
  reason: string | null
}

/** Delays between the polls for the outcome of a press, in milliseconds. */
const POLL_DELAYS_MS = [300, 700, 1500, 3000, 5000, 10_000, 20_000] as const

export function useCustomButtons(): CustomButton[] {
  const { data } = useQuery({
    queryKey: ['custom_buttons'],
    queryFn: () => call<Data<{ custom_buttons: CustomButton[] }>>('GET', '/api/v2/custom_buttons'),
  })
  return data?.data.custom_buttons.filter((button) => button.is_active) ?? []
}

/** Presses custom buttons for a room and polls for their outcomes. */
export function usePresses(room: string) {
  const [presses, setPresses] = useState<ButtonPress[]>([])
  const lastKey = useRef(0)
  const isThere = useRef(true)
  useEffect(() => {
    isThere.current = true
    return () => {
      isThere.current = false
    }
  }, [])
  const press = useCallback(
    async (button: CustomButton) => {
      lastKey.current += 1
      const key = lastKey.current
      const set = (state: Press['state'], reason: string | null = null) => {
        const pressed = { key, label: button.label, state, reason }
        setPresses((known) => [...known.filter((it) => it.key !== key), pressed])
      }
      set('pending')
      try {
        const path = `/api/v2/custom_buttons/${button.id}/press`
        const { data } = await call<Data<Pick<Partial<Press>, 'delivery_id'>>>('POST', path, {
          room_id: room,
        })
        const outcome = data.delivery_id && (await pollOutcome(data.delivery_id, isThere))
        if (outcome) set(outcome.state, outcome.reason ?? codeOf(outcome))
        else set('done')
      } catch (error) {
        set('failed', error instanceof CallError ? error.message : null)
      }
    },
    [room],
  )
  const dismiss = useCallback(
    (key: number) => setPresses((known) => known.filter((it) => it.key !== key)),
    [],
  )
  return { presses, press, dismiss }
}

async function pollOutcome(
  id: string | number,
  isThere: { current: boolean },
): Promise<Press | undefined> {
  let press: Press | undefined
  for (const ms of POLL_DELAYS_MS) {
    await new Promise((resolve) => setTimeout(resolve, ms))
    if (!isThere.current) return press
    const path = `/api/v2/custom_buttons/presses/${id}`
    press = (await call<Data<{ press: Press }>>('GET', path)).data.press
    if (press.state !== 'pending') return press
  }
  return press
}

function codeOf({ state, status_code }: Press): string | null {
  return state === 'failed' && status_code !== null ? String(status_code) : null
}
