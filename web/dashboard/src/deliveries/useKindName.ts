import { useTranslations } from 'use-intl'
import { isKind } from '../webhooks/kinds'

/** What a kind is called; one that the page does not know goes by its own name. */
export function useKindName(): (kind: string) => string {
  const words = useTranslations('webhooks')
  return (kind) => {
    if (kind === 'push') return words('kind.push')
    return isKind(kind) ? words(`kind.${kind}`) : kind
  }
}
