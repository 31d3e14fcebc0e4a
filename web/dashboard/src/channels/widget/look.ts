import type { WidgetSettings } from '../../app/shapes'

/** What the preview shows: which moment of the widget, in which language. */
export interface Look {
  view: View
  language: string
}

export const VIEWS = ['conversation', 'newcomer', 'away', 'closed'] as const
export type View = (typeof VIEWS)[number]

/** What each part changes; `look` is where the preview shows it. */
export interface PartProps {
  draft: WidgetSettings
  change: (part: Partial<WidgetSettings>, look?: Partial<Look>) => void
}
