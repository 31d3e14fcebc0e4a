import type { Chat } from '../state/chat'

/** Notices above the field: no connection, identity problems, end of the conversation. */
export function Notices({ chat }: { chat: Chat }) {
  const { problem } = chat
  return (
    <>
      {chat.isOffline.value && (
        <p class="notice" role="status">
          {chat.translate('offline')}
        </p>
      )}
      {problem.value && (
        <div class="notice" role="alert">
          {chat.translate(problem.value)}
          {problem.value === 'identityFailed' && (
            <button type="button" class="plain" onClick={() => void chat.prove()}>
              {chat.translate('retry')}
            </button>
          )}
        </div>
      )}
      {chat.isResolved.value && <RestartButton chat={chat} />}
    </>
  )
}

/** The button after the end of a conversation. Starts a new room if the app has one per
 * conversation; focuses the field otherwise. */
function RestartButton({ chat }: { chat: Chat }) {
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
        {chat.translate('startAgain')}
      </button>
    </div>
  )
}
