const PATHS = {
  close: 'M6 6l12 12M18 6L6 18',
  send: 'M4 12l16-8-6 16-3-6-7-2z',
  attach: 'M8 12l6.5-6.5a3.5 3.5 0 015 5L11 19a5.5 5.5 0 01-8-8l8-8',
  menu: 'M5 12h.01M12 12h.01M19 12h.01',
  down: 'M6 9l6 6 6-6',
  file: 'M6 2h8l5 5v15H6zM14 2v5h5',
}

/** A decorative icon, hidden from screen readers. The element next to it has the text. */
export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" class="drawn">
      <path d={PATHS[name]} />
    </svg>
  )
}
