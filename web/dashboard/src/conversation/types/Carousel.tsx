import type { KeyboardEvent } from 'react'
import { useTranslations } from 'use-intl'
import type { Payload } from '../../../../shared/payload'
import classes from '../Conversation.module.css'
import { Card } from './Card'

/** A scrollable row of cards. Arrow keys move by one card. */
export function Carousel({ cards, isTrusted }: { cards: Payload[]; isTrusted: boolean }) {
  const words = useTranslations('message')
  function move(event: KeyboardEvent<HTMLUListElement>) {
    const isNext = event.key === 'ArrowRight'
    if (!isNext && event.key !== 'ArrowLeft') return
    event.preventDefault()
    const list = event.currentTarget
    const width = list.firstElementChild?.getBoundingClientRect().width ?? list.clientWidth
    list.scrollBy({ left: isNext ? width : -width })
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard
    <ul className={classes.carousel} aria-label={words('cards')} tabIndex={0} onKeyDown={move}>
      {cards.map((card, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the cards of a message never change
        <li key={at}>
          <Card card={card} isTrusted={isTrusted} />
        </li>
      ))}
    </ul>
  )
}
