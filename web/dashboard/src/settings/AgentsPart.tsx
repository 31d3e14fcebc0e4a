import '@mantine/core/styles/Checkbox.css'
import { Checkbox } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Part } from '../channels/widget/Part'
import { NumberField } from '../ui/forms/NumberField'
import type { PartProps, SettingsDraft } from './draft'
import classes from './Settings.module.css'

const PER_AGENT_MAX = 10_000
const PER_ROOM_MAX = 100
const GRACE_MAX_S = 86_400

/** The settings for how customers are assigned to agents. */
export function AgentsPart({ draft, change }: PartProps) {
  const words = useTranslations('settings')
  const { allocation } = draft
  const allocate = (part: Partial<SettingsDraft['allocation']>) =>
    change({ allocation: { ...allocation, ...part } })
  return (
    <Part title={words('agents')}>
      <Checkbox
        label={words('takeOver')}
        description={words('takeOverHelp')}
        checked={draft.is_agent_takeover_enabled}
        onChange={(event) => change({ is_agent_takeover_enabled: event.currentTarget.checked })}
      />
      <Checkbox
        label={words('allocation')}
        description={words('allocationHelp')}
        checked={allocation.is_on}
        onChange={(event) => allocate({ is_on: event.currentTarget.checked })}
      />
      <div className={classes.row}>
        <NumberField
          label={words('perAgent')}
          description={words('perAgentHelp')}
          value={allocation.per_agent_max}
          min={1}
          max={PER_AGENT_MAX}
          placeholder={words('asAtFirst')}
          onChange={(per_agent_max) => allocate({ per_agent_max })}
        />
        <NumberField
          label={words('perRoom')}
          description={words('perRoomHelp')}
          value={allocation.per_room_max}
          min={1}
          max={PER_ROOM_MAX}
          placeholder={words('asAtFirst')}
          onChange={(per_room_max) => allocate({ per_room_max })}
        />
        <NumberField
          label={words('grace')}
          description={words('graceHelp')}
          value={draft.grace_s}
          min={0}
          max={GRACE_MAX_S}
          required
          onChange={(grace_s) => change({ grace_s })}
        />
      </div>
    </Part>
  )
}
