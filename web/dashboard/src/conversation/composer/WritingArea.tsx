import { Textarea, type TextareaProps } from '@mantine/core'
import type { Ref } from 'react'
import { useTranslations } from 'use-intl'
import classes from './Composer.module.css'
import { LENGTH_MAX, LENGTH_SHOWN, lengthOf } from './length'

interface WritingAreaProps extends Omit<TextareaProps, 'value' | 'onChange'> {
  text: string
  onText: (text: string) => void
  areaRef?: Ref<HTMLTextAreaElement>
}

/** A text of some lines that says how much more fits. */
export function WritingArea({ text, onText, areaRef, ...others }: WritingAreaProps) {
  const words = useTranslations('conversation')
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
      value={text}
      error={left < 0 ? words('tooLong', { count: -left }) : undefined}
      description={isNear ? words('left', { count: left }) : undefined}
      onChange={(event) => onText(event.currentTarget.value)}
    />
  )
}
