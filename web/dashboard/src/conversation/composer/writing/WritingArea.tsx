import { Textarea, type TextareaProps } from '@mantine/core'
import { type Ref, useState } from 'react'
import { useTranslations } from 'use-intl'
import classes from '../Composer.module.css'
import { LENGTH_MAX, LENGTH_SHOWN, lengthOf } from './length'

interface WritingAreaProps extends Omit<TextareaProps, 'value' | 'defaultValue' | 'onChange'> {
  /** Initial text of the field, also used for the character count. Later values do not change the
   * field. */
  text: string
  onText: (text: string) => void
  areaRef?: Ref<HTMLTextAreaElement>
}

/** A multi-line field that shows how many characters are left. The field owns its text and reports
 * every change; other code changes it with `replaceText`. It is uncontrolled because on a busy
 * machine React can reset a controlled field to its text before the last key. */
export function WritingArea({ text, onText, areaRef, ...others }: WritingAreaProps) {
  const words = useTranslations('conversation')
  const [initial] = useState(text)
  const length = lengthOf(text)
  const left = LENGTH_MAX - length
  const isNear = length >= LENGTH_SHOWN && left >= 0
  return (
    <Textarea
      {...others}
      ref={areaRef ?? null}
      className={classes.area}
      autosize
      minRows={2}
      maxRows={10}
      defaultValue={initial}
      error={left < 0 ? words('tooLong', { count: -left }) : undefined}
      description={isNear ? words('left', { count: left }) : undefined}
      onChange={(event) => onText(event.currentTarget.value)}
    />
  )
}
