import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { IntlProvider, useMessages } from 'use-intl'
import type en from '../../admin_words/en.json'
import { ErrorState } from '../ui/feedback/ErrorState'
import { Loading } from '../ui/feedback/Loading'
import { loadPart } from './lazyPart'
import { type Language, useLanguage } from './WordsProvider'

const WORDS: Record<Language, () => Promise<{ default: typeof en }>> = {
  en: () => import('../../admin_words/en.json'),
  id: () => import('../../admin_words/id.json'),
}

interface AdminWordsProps {
  /** What is rendered while the words load; a loading page by default. */
  fallback?: ReactNode
  children: ReactNode
}

/** Provides the words of all screens besides the inbox. They are loaded with the first of these
 * screens. */
export function AdminWords({ fallback = <Loading />, children }: AdminWordsProps) {
  const { language } = useLanguage()
  const others = useMessages()
  const { data, error, refetch } = useQuery({
    queryKey: ['admin_words', language],
    queryFn: () => loadPart(WORDS[language]).then(({ default: words }) => words),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!data && error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return fallback
  return (
    <IntlProvider locale={language} messages={{ ...others, ...data }}>
      {children}
    </IntlProvider>
  )
}
