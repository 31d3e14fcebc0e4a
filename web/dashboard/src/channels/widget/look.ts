import type { WidgetSettings } from '../../app/shapes'

/** The state and language of the widget that the preview shows. */
export interface Look {
  view: View
  language: string
}

export const VIEWS = ['conversation', 'newcomer', 'away', 'closed'] as const
export type View = (typeof VIEWS)[number]

/** Properties of each form section. `look` is the state in which the preview shows the change. */
export interface PartProps {
  draft: WidgetSettings
  change: (part: Partial<WidgetSettings>, look?: Partial<Look>) => void
}
