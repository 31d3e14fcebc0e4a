import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { type Filled, given, refusedIn, wrongIn } from './filling'
import type { Field } from './kinds'

interface Filling {
  fields: readonly Field[]
  /** Error of the last request. */
  error: unknown
  /** Whether empty fields are valid because they keep their values. */
  mayBeEmpty?: boolean
  onFilled: (given: Filled) => void
}

/** Manages a form of provider fields. Validates all fields before sending, and focuses the first
 * invalid one. */
export function useFilling({ fields, error, mayBeEmpty = false, onFilled }: Filling) {
  const words = useTranslations('services')
  const [filled, setFilled] = useState<Filled>({})
  // Fields edited since the last response; their server errors are outdated.
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [wasTried, setTried] = useState(false)
  const refused = refusedIn(error, fields)
  const looks = wasTried ? wrongIn(fields, filled, mayBeEmpty) : {}
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
    isEmpty: Object.keys(given(fields, filled)).length === 0,
    fill(part: Filled) {
      setFilled((filled) => ({ ...filled, ...part }))
      setTouched((touched) => new Set([...touched, ...Object.keys(part)]))
    },
    empty: () => setFilled({}),
    submit(event: FormEvent<HTMLFormElement>) {
      event.preventDefault()
      setTried(true)
      const [first] = Object.keys(wrongIn(fields, filled, mayBeEmpty))
      if (first !== undefined) {
        const field = event.currentTarget.elements.namedItem(first)
        if (field instanceof HTMLElement) field.focus()
        return
      }
      setTouched(new Set())
      onFilled(given(fields, filled))
    },
  }
}
