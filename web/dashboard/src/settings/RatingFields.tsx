import '@mantine/core/styles/Checkbox.css'
import { Checkbox, TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { PartProps } from './draft'
import classes from './Settings.module.css'

const QUESTION_MAX = 1000
/** What the buttons of every channel bear. */
const ANSWER_MAX = 20
const ANSWERS = ['good', 'okay', 'bad'] as const

/** Whether customers are asked how it was once somebody resolved a conversation, and in which words. */
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
