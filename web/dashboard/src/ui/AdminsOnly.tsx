import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { CallError } from '../../../shared/call'
import type { Me } from '../app/shapes'
import { ErrorState } from './ErrorState'
import { Screen } from './Screen'

interface AdminsOnlyProps {
  me: Me
  /** What `me.may` must have. */
  right: string
  title: string
  children: ReactNode
}

/** Says who may, to whoever came by a link that is not for them; the server is not asked. */
export function AdminsOnly({ me, right, title, children }: AdminsOnlyProps) {
  const words = useTranslations('office')
  if (me.may.includes(right)) return children
  return (
    <Screen title={title}>
      <ErrorState error={new CallError(403, words('adminsOnly'))} />
    </Screen>
  )
}
