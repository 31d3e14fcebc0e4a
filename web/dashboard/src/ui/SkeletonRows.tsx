import { Skeleton, Stack } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useIsLate } from './Loading'

/** What stands where rows will be, about as high as they are. */
export function SkeletonRows({ count = 3, height = 96 }: { count?: number; height?: number }) {
  const words = useTranslations('states')
  const isLate = useIsLate()
  return (
    <Stack gap="sm" role="status" aria-busy="true" aria-label={words('loading')}>
      {Array.from({ length: count }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <Skeleton key={at} height={height} visible={isLate} />
      ))}
    </Stack>
  )
}
