import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { errorsIn, type FieldValues, serverErrorsIn, trimmedValues } from './field_values'
import type { Field } from './kinds'

interface ProviderFormOptions {
  fields: readonly Field[]
  /** Error of the last request. */
  error: unknown
  /** Whether empty fields are valid because they keep their values. */
  mayBeEmpty?: boolean
  onFilled: (given: FieldValues) => void
}

/** Manages a form of provider fields. Validates all fields before sending, and focuses the first
 * invalid one. */
export function useProviderForm({
  fields,
  error,
  mayBeEmpty = false,
  onFilled,
}: ProviderFormOptions) {
  const words = useTranslations('services')
  const [filled, setFilled] = useState<FieldValues>({})
  // Fields edited since the last response; their server errors are outdated.
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [wasTried, setTried] = useState(false)
  const refused = serverErrorsIn(error, fields)
  const looks = wasTried ? errorsIn(fields, filled, mayBeEmpty) : {}
  const wrong: Record<string, string> = {}
  for (const { name } of fields) {
    const look = looks[name]
    if (look) wrong[name] = words(look)
    else if (refused.fields[name] && !touched.has(name)) wrong[name] = refused.fields[name]
  }
  return {
    filled,
    wrong,
    others: refused.others,
    isEmpty: Object.keys(trimmedValues(fields, filled)).length === 0,
    fill(part: FieldValues) {
      setFilled((filled) => ({ ...filled, ...part }))
      setTouched((touched) => new Set([...touched, ...Object.keys(part)]))
    },
    empty: () => setFilled({}),
    submit(event: FormEvent<HTMLFormElement>) {
      event.preventDefault()
      setTried(true)
      const [first] = Object.keys(errorsIn(fields, filled, mayBeEmpty))
      if (first !== undefined) {
        const field = event.currentTarget.elements.namedItem(first)
        if (field instanceof HTMLElement) field.focus()
        return
      }
      setTouched(new Set())
      onFilled(trimmedValues(fields, filled))
    },
  }
}
