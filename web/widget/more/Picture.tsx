import { useSignal } from '@preact/signals'
import { safeUrl } from '../../shared/text'

/** An image from any host. Renders nothing if it fails to load. */
export function Picture({ url, name }: { url: unknown; name: string }) {
  const isBroken = useSignal(false)
  const safe = safeUrl(url)
  if (safe === null || isBroken.value) return null
  return (
    <img
      class="picture"
      src={safe}
      alt={name}
      loading="lazy"
      referrerpolicy="no-referrer"
      onError={() => {
        isBroken.value = true
      }}
    />
  )
}
