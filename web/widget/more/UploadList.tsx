import { Icon } from '../parts/icons'
import type { Chat } from '../state/chat'
import { uploadsOf } from './uploads'

/** Running and rejected uploads, with their progress. */
export function UploadList({ chat }: { chat: Chat }) {
  const uploads = uploadsOf(chat).all.value
  if (uploads.length === 0) return null
  return (
    <ul class="uploads">
      {uploads.map(({ id, file, share, refused }) => {
        const percent = Math.round(share * 100)
        return (
          <li key={id}>
            {refused === undefined ? (
              <>
                <span class="name">{file.name}</span>
                <progress
                  max={100}
                  value={percent}
                  aria-label={chat.translate('uploading', { name: file.name, percent })}
                />
              </>
            ) : (
              <span class="name" role="alert">
                {refused || chat.translate('notSent', { reason: file.name })}
              </span>
            )}
            <button
              type="button"
              class="icon"
              aria-label={`${chat.translate(refused === undefined ? 'cancel' : 'discard')}: ${file.name}`}
              onClick={() => uploadsOf(chat).remove(id)}
            >
              <Icon name="close" />
            </button>
          </li>
        )
      })}
    </ul>
  )
}
