import { LANGUAGES } from '../contract'
import type { Chat } from '../state/chat'

const NAMES = { en: 'english', id: 'indonesian' } as const

/** The customer's preferences: sound and language. */
export function Menu({ chat }: { chat: Chat }) {
  const offered = LANGUAGES.filter((it) => chat.settings.value.languages.includes(it))
  return (
    <div class="menu">
      <label>
        <input
          type="checkbox"
          checked={!chat.isSilent.value}
          onChange={(event) => chat.setSilent(!event.currentTarget.checked)}
        />
        {chat.translate('sound')}
      </label>
      {offered.length > 1 && (
        <label>
          {chat.translate('language')}
          <select
            value={chat.language.value}
            onChange={(event) => {
              const chosen = offered.find((it) => it === event.currentTarget.value)
              if (chosen) void chat.setLanguage(chosen)
            }}
          >
            {offered.map((it) => (
              <option key={it} value={it} lang={it}>
                {chat.translate(NAMES[it])}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  )
}
