import { useTranslations } from 'use-intl'
import type { Row } from '../../app/shapes'
import classes from '../Inbox.module.css'

/** Maximum number of tags shown by name; the others are counted. */
const SHOWN = 2

export function RowTags({ tags }: { tags: NonNullable<Row['tags']> }) {
  const words = useTranslations('inbox')
  const rest = tags.length - SHOWN
  return (
    <>
      {tags.slice(0, SHOWN).map(({ id, name, colour }) => (
        <span key={id} className={classes.tag} style={{ borderColor: colourOf(colour ?? null) }}>
          {name}
        </span>
      ))}
      {rest > 0 && <span className={classes.more}>{words('moreTags', { count: rest })}</span>}
    </>
  )
}

/** Returns a valid tag color, or undefined for anything else. */
export function colourOf(colour: string | null): string | undefined {
  return colour !== null && /^#[0-9a-f]{6}$/i.test(colour) ? colour : undefined
}
