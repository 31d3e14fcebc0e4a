import type { Chat } from '../state/chat'

/** Notices above the field: no connection, identity problems, end of the conversation. */
export function Notices({ chat }: { chat: Chat }) {
  const { trouble } = chat
  return (
    <>
      {chat.isOffline.value && (
        <p class="notice" role="status">
          {chat.say('offline')}
        </p>
      )}
      {trouble.value && (
        <div class="notice" role="alert">
          {chat.say(trouble.value)}
          {trouble.value === 'identityFailed' && (
            <button type="button" class="plain" onClick={() => void chat.prove()}>
              {chat.say('retry')}
            </button>
          )}
        </div>
      )}
      {chat.isResolved.value && <Ended chat={chat} />}
    </>
  )
}

/** The button after the end of a conversation. Starts a new room if the app has one per
 * conversation; focuses the field otherwise. */
function Ended({ chat }: { chat: Chat }) {
  const isSessional = chat.settings.value.is_sessional
  return (
    <div class="notice ended" role="status">
      <button
        type="button"
        class="plain"
        onClick={(event) => {
          const panel = event.currentTarget.closest('.panel')
          if (isSessional) void chat.startAgain().catch(() => {})
          else panel?.querySelector('textarea')?.focus()
        }}
      >
        {chat.say('startAgain')}
      </button>
    </div>
  )
}
