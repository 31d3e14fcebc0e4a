import { useSignal } from '@preact/signals'
import { safeUrl } from '../../shared/text'

/** A picture from wherever the shop keeps it; one that does not come is left out. */
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
