import { useFormatter } from 'use-intl'
import type { Ratings } from '../app/shapes'

/** What customers said on average, as a table says it. */
export function useAverage(): (rating: Ratings | undefined) => string {
  const format = useFormatter()
  return (rating) =>
    rating?.average === null || rating?.average === undefined
      ? '–'
      : format.number(rating.average, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
}
