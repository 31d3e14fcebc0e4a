import { call } from '../../../../shared/call'
import type { Data, WidgetSettings } from '../../app/shapes'
import { rebase } from '../../ui/forms/rebase'
import { tidyOrigins } from './origins'

export const WIDGET_KEY = ['widget_settings']
const PATH = '/api/v2/widget_settings'

type Answer = Data<{ widget: WidgetSettings }>

export const loadWidget = (): Promise<WidgetSettings> =>
  call<Answer>('GET', PATH).then(({ data }) => data.widget)

/** Saves the fields that differ from `base`. The server replaces all settings at once, so they are
 * reloaded first to keep what another admin changed in the meantime. */
export async function saveWidget(
  draft: WidgetSettings,
  base: WidgetSettings,
): Promise<WidgetSettings> {
  const wanted = tidy(rebase(draft, base, await loadWidget()))
  return (await call<Answer>('PUT', PATH, wanted)).data.widget
}

export const tidy = (draft: WidgetSettings): WidgetSettings => ({
  ...draft,
  allowed_origins: tidyOrigins(draft.allowed_origins),
})
