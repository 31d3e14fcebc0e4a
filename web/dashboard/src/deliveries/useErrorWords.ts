import { useTranslations } from 'use-intl'

export const ERRORS = [
  'dns',
  'blocked_address',
  'connect_refused',
  'connect_timeout',
  'tls',
  'write',
  'header_timeout',
  'body_timeout',
  'body_too_large',
  'status_3xx',
  'status_4xx',
  'status_410',
  'status_429',
  'status_5xx',
  'superseded',
  'disabled',
  'expired',
  'payload_too_large',
  'refused',
] as const

/** Returns a function that describes an attempt's error in a sentence. */
export function useErrorWords(): (error: string) => string {
  const words = useTranslations('deliveryErrors')
  return (error) => {
    const known = ERRORS.find((it) => it === error)
    return known ? words(known) : words('other', { error })
  }
}
