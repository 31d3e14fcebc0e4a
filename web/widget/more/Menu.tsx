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
          onChange={(event) => chat.silence(!event.currentTarget.checked)}
        />
        {chat.say('sound')}
      </label>
      {offered.length > 1 && (
        <label>
          {chat.say('language')}
          <select
            value={chat.language.value}
            onChange={(event) => {
              const chosen = offered.find((it) => it === event.currentTarget.value)
              if (chosen) void chat.choose(chosen)
            }}
          >
            {offered.map((it) => (
              <option key={it} value={it} lang={it}>
                {chat.say(NAMES[it])}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  )
}
