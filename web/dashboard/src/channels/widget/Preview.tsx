import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import type { Me, WidgetSettings } from '../../app/shapes'
import classes from './WidgetScreen.module.css'

/** The widget as it would be, before anything is kept. Nobody is told anything by it. */
export function Preview({ me, draft }: { me: Me; draft: WidgetSettings }) {
  const words = useTranslations('widget')
  const frame = useRef<HTMLIFrameElement>(null)
  const newest = useRef(draft)
  newest.current = draft
  useEffect(() => {
    // The page in the frame says when it can be told something.
    const onMessage = ({ origin, source, data }: MessageEvent) => {
      const isOurs = origin === location.origin && source === frame.current?.contentWindow
      if (isOurs && data?.type === 'confab-preview-ready') show(frame.current, newest.current)
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [])
  useEffect(() => show(frame.current, draft), [draft])
  return (
    <aside className={classes.preview} aria-label={words('preview')}>
      <iframe ref={frame} title={words('preview')} src={`/chat/${me.app.code}?preview`} />
    </aside>
  )
}

function show(frame: HTMLIFrameElement | null, draft: WidgetSettings): void {
  frame?.contentWindow?.postMessage({ type: 'confab-preview', settings: draft }, location.origin)
}
