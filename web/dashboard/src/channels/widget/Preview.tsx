import { Group, NativeSelect } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import type { Me, WidgetSettings } from '../../app/shapes'
import { WIDGET_LANGUAGES } from './languages'
import { type Look, VIEWS, type View } from './look'
import classes from './WidgetScreen.module.css'

interface PreviewProps {
  me: Me
  draft: WidgetSettings
  look: Look
  onLook: (look: Partial<Look>) => void
}

/** A preview of the widget with unsaved settings. */
export function Preview({ me, draft, look, onLook }: PreviewProps) {
  const words = useTranslations('widget')
  const frame = useRef<HTMLIFrameElement>(null)
  const newest = useRef({ draft, look })
  newest.current = { draft, look }
  useEffect(() => {
    // The page in the frame reports when it can receive settings.
    const onMessage = ({ origin, source, data }: MessageEvent) => {
      const isOurs = origin === location.origin && source === frame.current?.contentWindow
      if (isOurs && data?.type === 'confab-preview-ready') {
        show(frame.current, newest.current.draft, newest.current.look)
      }
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [])
  useEffect(() => show(frame.current, draft, look), [draft, look])
  return (
    <aside className={classes.preview} aria-label={words('preview')}>
      <Group gap="sm" grow>
        <NativeSelect
          label={words('view')}
          data={VIEWS.map((value) => ({ value, label: words(`views.${value}`) }))}
          value={look.view}
          onChange={(event) => onLook({ view: event.currentTarget.value as View })}
        />
        <NativeSelect
          label={words('viewLanguage')}
          data={WIDGET_LANGUAGES.map(([value, label]) => ({ value, label }))}
          value={look.language}
          onChange={(event) => onLook({ language: event.currentTarget.value })}
        />
      </Group>
      <iframe
        ref={frame}
        title={words('preview')}
        tabIndex={-1}
        src={`/chat/${me.app.code}?preview&lang=${look.language}`}
      />
    </aside>
  )
}

function show(frame: HTMLIFrameElement | null, settings: WidgetSettings, { view }: Look): void {
  const message = { type: 'confab-preview', settings, view }
  frame?.contentWindow?.postMessage(message, location.origin)
}
