// The settings while they are edited.
import type { AppSettings } from '../app/shapes'
import { isGroup } from '../ui/forms/rebase'

type Numbers = 'grace_s' | 'waiting_amber_s' | 'waiting_red_s'

/** The edited settings, in which number fields can be empty. */
export type SettingsDraft = Omit<AppSettings, Numbers | 'allocation'> &
  Record<Numbers, number | null> & {
    allocation: { is_on: boolean; per_agent_max: number | null; per_room_max: number | null }
  }

/** Properties of each form section. */
export interface PartProps {
  draft: SettingsDraft
  change: (part: Partial<SettingsDraft>) => void
}

/** Returns the changed fields only. The server keeps absent fields. */
export function changesOf<T extends object>(kept: T, draft: T): Partial<T> {
  const changes: Partial<T> = {}
  for (const name of Object.keys(draft) as (keyof T)[]) {
    const [before, after] = [kept[name], draft[name]]
    if (isGroup(before) && isGroup(after)) {
      const within = changesOf(before, after)
      if (Object.keys(within).length > 0) changes[name] = within as T[keyof T]
    } else if (JSON.stringify(before) !== JSON.stringify(after)) changes[name] = after
  }
  return changes
}

/** Whether red starts after amber; otherwise amber would never be shown. */
export function areTimesInOrder({ waiting_amber_s, waiting_red_s }: SettingsDraft): boolean {
  return waiting_amber_s === null || waiting_red_s === null || waiting_amber_s < waiting_red_s
}
