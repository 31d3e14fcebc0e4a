import { Skeleton, Stack } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useIsLate } from './Loading'

/** Placeholders for rows that are being loaded, about as high as the rows. */
export function SkeletonRows({ count = 3, height = 96 }: { count?: number; height?: number }) {
  const words = useTranslations('states')
  const isLate = useIsLate()
  return (
    <Stack gap="sm" role="status" aria-busy="true" aria-label={words('loading')}>
      {Array.from({ length: count }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders are identical
        <Skeleton key={at} height={height} visible={isLate} />
      ))}
    </Stack>
  )
}
