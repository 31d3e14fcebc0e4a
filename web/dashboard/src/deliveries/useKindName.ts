import { useTranslations } from 'use-intl'
import { isKind, OTHER_KINDS } from '../webhooks/kinds'

/** What a kind is called; one that the page does not know goes by its own name. */
export function useKindName(): (kind: string) => string {
  const words = useTranslations('webhooks')
  return (kind) => {
    const other = OTHER_KINDS.find((it) => it === kind)
    if (other) return words(`kind.${other}`)
    return isKind(kind) ? words(`kind.${kind}`) : kind
  }
}
