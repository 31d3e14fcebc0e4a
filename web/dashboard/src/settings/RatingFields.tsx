import '@mantine/core/styles/Checkbox.css'
import { Checkbox, TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { PartProps } from './draft'
import classes from './Settings.module.css'

const QUESTION_MAX = 1000
/** Maximum length of an answer, which fits on the buttons of every channel. */
const ANSWER_MAX = 20
const ANSWERS = ['good', 'okay', 'bad'] as const

/** The settings for the rating request that customers get after an agent resolved their
 * conversation. */
export function RatingFields({ draft, change }: PartProps) {
  const words = useTranslations('settings')
  const { is_rating_asked, rating_texts: texts } = draft
  if (texts === undefined) return null
  const field = (name: keyof typeof texts, maxLength: number) => ({
    label: words(`rating.${name}`),
    value: texts[name],
    maxLength,
    required: true,
    withAsterisk: false,
    onChange: (event: { currentTarget: { value: string } }) =>
      change({ rating_texts: { ...texts, [name]: event.currentTarget.value } }),
  })
  return (
    <>
      <Checkbox
        label={words('rating.isAsked')}
        description={words('rating.help')}
        checked={is_rating_asked ?? false}
        onChange={(event) => change({ is_rating_asked: event.currentTarget.checked })}
      />
      {is_rating_asked && (
        <>
          <TextInput {...field('question', QUESTION_MAX)} />
          <div className={classes.row}>
            {ANSWERS.map((name) => (
              <TextInput key={name} {...field(name, ANSWER_MAX)} />
            ))}
          </div>
        </>
      )}
    </>
  )
}
