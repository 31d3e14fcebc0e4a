import { TextInput, UnstyledButton } from '@mantine/core'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useLanguage } from '../../../app/WordsProvider'
import classes from '../Composer.module.css'
import { find } from './emoji'

/** Columns of the grid; must match the style sheet. */
const COLUMNS = 8

const STEPS: Record<string, number> = {
  ArrowRight: 1,
  ArrowLeft: -1,
  ArrowDown: COLUMNS,
  ArrowUp: -COLUMNS,
}

/** All emoji, with a search field. The grid is one Tab stop; arrow keys move within it. */
export default function EmojiGrid({ onPick }: { onPick: (sign: string) => void }) {
  const words = useTranslations('composer')
  const { language } = useLanguage()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const grid = useRef<HTMLDivElement>(null)
  const found = find(text, language)
  function move(event: KeyboardEvent) {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    const isRtl = getComputedStyle(event.currentTarget).direction === 'rtl'
    const to = at + (Math.abs(step) === 1 && isRtl ? -step : step)
    if (to < 0 || to >= found.length) return
    setAt(to)
    const target = grid.current?.children[to]
    if (target instanceof HTMLElement) target.focus()
  }
  return (
    <>
      <TextInput
        type="search"
        size="sm"
        mb="xs"
        aria-label={words('findEmoji')}
        placeholder={words('findEmoji')}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          const first = found[0]
          if (first) onPick(first.sign)
        }}
        data-autofocus
      />
      <div ref={grid} className={classes.emoji} role="toolbar" aria-label={words('emoji')}>
        {found.map(({ sign, name }, index) => (
          <UnstyledButton
            key={sign}
            className={classes.sign}
            aria-label={name[language]}
            title={name[language]}
            tabIndex={index === at ? 0 : -1}
            onKeyDown={move}
            onFocus={() => setAt(index)}
            onClick={() => onPick(sign)}
          >
            {sign}
          </UnstyledButton>
        ))}
      </div>
    </>
  )
}
