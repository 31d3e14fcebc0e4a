import { NativeSelect, Text, TextInput } from '@mantine/core'
import { useFormatter, useTranslations } from 'use-intl'
import { contrast, isColour } from '../../../../shared/colour'
import type { PartProps } from './look'
import { Part } from './Part'
import classes from './WidgetScreen.module.css'

/** Minimum contrast of text, and of other parts, according to WCAG 2.2. */
const TEXT_MIN = 4.5
const PART_MIN = 3

const POSITIONS = ['end', 'start'] as const
const SCHEMES = ['auto', 'light', 'dark'] as const

export function LooksPart({ draft, change }: PartProps) {
  const words = useTranslations('widget')
  const { theme } = draft
  const set = (part: Partial<typeof theme>) => change({ theme: { ...theme, ...part } })
  const isValid = isColour(theme.colour)
  return (
    <Part title={words('looks')} help={words('looksHelp')}>
      <div className={classes.row}>
        <TextInput
          label={words('colour')}
          value={theme.colour}
          maxLength={7}
          error={isValid ? undefined : words('colourWrong')}
          onChange={(event) => set({ colour: event.currentTarget.value.toLowerCase() })}
        />
        <TextInput
          type="color"
          label={words('pickColour')}
          value={isValid ? theme.colour : '#000000'}
          onChange={(event) => set({ colour: event.currentTarget.value })}
        />
        <NativeSelect
          label={words('position')}
          data={POSITIONS.map((value) => ({ value, label: words(`positions.${value}`) }))}
          value={theme.position}
          onChange={(event) => set({ position: event.currentTarget.value })}
        />
        <NativeSelect
          label={words('scheme')}
          data={SCHEMES.map((value) => ({ value, label: words(`schemes.${value}`) }))}
          value={theme.scheme}
          onChange={(event) => set({ scheme: event.currentTarget.value })}
        />
      </div>
      {isValid && <ContrastNote colour={theme.colour} />}
    </Part>
  )
}

/** A note on whether the launcher is visible on white and black pages, and its text on the
 * launcher. */
function ContrastNote({ colour }: { colour: string }) {
  const words = useTranslations('widget')
  const format = useFormatter()
  const onWhite = contrast(colour, '#ffffff')
  const onBlack = contrast(colour, '#000000')
  // The widget uses black or white text, whichever has more contrast.
  const text = Math.max(onWhite, onBlack)
  const verdict =
    text < TEXT_MIN
      ? 'badText'
      : onWhite < PART_MIN
        ? 'badOnWhite'
        : onBlack < PART_MIN
          ? 'badOnBlack'
          : 'good'
  const ratio = format.number(text, { maximumFractionDigits: 1 })
  return (
    <Text size="sm" role="status">
      {words(`contrast.${verdict}`, { ratio })}
    </Text>
  )
}
