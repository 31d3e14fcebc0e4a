import { Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { isColour } from '../../../../shared/colour'
import type { Me, WidgetSettings } from '../../app/shapes'
import { useLanguage } from '../../app/WordsProvider'
import { useErrorNotice } from '../../ui/feedback/useErrorNotice'
import { useSuccessNotice } from '../../ui/feedback/useSuccessNotice'
import { isSame } from '../../ui/forms/rebase'
import { SaveBar } from '../../ui/forms/SaveBar'
import { useDraft } from '../../ui/forms/useDraft'
import { AccessPart } from './AccessPart'
import { FieldsPart } from './FieldsPart'
import { LooksPart } from './LooksPart'
import type { Look } from './look'
import { wrongOrigin } from './origins'
import { Preview } from './Preview'
import { Snippet } from './Snippet'
import { saveWidget, tidy, WIDGET_KEY } from './settings'
import { TextsPart } from './TextsPart'
import classes from './WidgetScreen.module.css'

/** The form of the widget's settings, with a preview of unsaved changes. */
export function Configurator({ me, kept }: { me: Me; kept: WidgetSettings }) {
  const words = useTranslations('widget')
  const queries = useQueryClient()
  const showDone = useSuccessNotice()
  const { language } = useLanguage()
  const { draft, base, change: put, undo, settle } = useDraft(kept)
  const isChanged = !isSame(tidy(draft), tidy(base))
  const [look, setLook] = useState<Look>({ view: 'conversation', language })
  const lookAt = (part: Partial<Look>) => setLook((look) => ({ ...look, ...part }))
  const change = (part: Partial<WidgetSettings>, look: Partial<Look> = {}) => {
    put(part)
    lookAt(look)
  }
  const save = useMutation({
    mutationFn: (wanted: WidgetSettings) => saveWidget(wanted, base),
    onError: useErrorNotice(),
    onSuccess(kept, wanted) {
      showDone(words('saved'))
      settle(wanted, kept)
      queries.setQueryData(WIDGET_KEY, kept)
    },
  })
  const isValid = isColour(draft.theme.colour) && wrongOrigin(draft.allowed_origins) === undefined
  function submit(event: FormEvent) {
    event.preventDefault()
    if (isValid && isChanged) save.mutate(draft)
  }
  return (
    <div className={classes.both}>
      <Preview me={me} draft={draft} look={look} onLook={lookAt} />
      <form onSubmit={submit}>
        <Stack gap="xl">
          <Snippet me={me} />
          <LooksPart draft={draft} change={change} />
          <TextsPart draft={draft} change={change} />
          <FieldsPart draft={draft} change={change} />
          <AccessPart draft={draft} change={change} />
          <SaveBar
            isChanged={isChanged}
            isValid={isValid}
            isSaving={save.isPending}
            onUndo={undo}
          />
        </Stack>
      </form>
    </div>
  )
}
