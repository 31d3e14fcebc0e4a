import { useTranslations } from 'use-intl'
import { isKind, OTHER_KINDS } from '../webhooks/kinds'

/** Returns a function that gives the display name of a webhook kind. Unknown kinds keep their API
 * name. */
export function useKindName(): (kind: string) => string {
  const words = useTranslations('webhooks')
  return (kind) => {
    const other = OTHER_KINDS.find((it) => it === kind)
    if (other) return words(`kind.${other}`)
    return isKind(kind) ? words(`kind.${kind}`) : kind
  }
}
