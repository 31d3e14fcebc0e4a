import { useFormatter } from 'use-intl'
import type { Ratings } from '../app/shapes'

/** Returns a function that formats the average of ratings, with one decimal. */
export function useAverage(): (rating: Ratings | undefined) => string {
  const format = useFormatter()
  return (rating) =>
    rating?.average === null || rating?.average === undefined
      ? '–'
      : format.number(rating.average, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
}
