import { NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Template } from '../app/shapes'
import { ErrorState } from '../ui/feedback/ErrorState'
import { Spinner } from '../ui/feedback/Loading'
import classes from './Templates.module.css'
import {
  bodyOf,
  buttonsWithPlaceholder,
  emptyValues,
  hasFile,
  hasHeader,
  isComplete,
  previewOf,
} from './template_values'
import { useTemplates } from './useTemplates'

/** A completed template, as the server accepts it. */
export type TemplateBody = ReturnType<typeof bodyOf>

interface TemplateFieldsProps {
  channel: number
  /** Receives the completed template, or null while a value is missing. */
  onChange: (filled: TemplateBody | null) => void
}

const keyOf = (template: Template): string => `${template.name} ${template.language}`

/** The fields for choosing and completing a channel's template, with a preview. */
export function TemplateFields({ channel, onChange }: TemplateFieldsProps) {
  const words = useTranslations('templates')
  const { data: templates, error, refetch } = useTemplates(channel)
  const [chosen, setChosen] = useState('')
  const [values, setValues] = useState({ header: '', body: [''], buttons: [''] })
  const template = templates?.find((it) => keyOf(it) === chosen)
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!templates) return <Spinner label={words('template')} />
  if (templates.length === 0) return <Text className="muted">{words('none')}</Text>

  function choose(key: string) {
    setChosen(key)
    const template = templates?.find((it) => keyOf(it) === key)
    if (template) put(template, emptyValues(template))
    else onChange(null)
  }

  function put(template: Template, next: typeof values) {
    setValues(next)
    onChange(isComplete(template, next) ? bodyOf(template, next) : null)
  }

  const at = (list: string[], place: number, value: string) =>
    list.map((it, index) => (index === place ? value : it))
  const options = templates.map((it) => ({
    value: keyOf(it),
    label: `${it.name} (${it.language})`,
  }))
  return (
    <Stack gap="sm">
      <NativeSelect
        label={words('template')}
        value={chosen}
        onChange={(event) => choose(event.currentTarget.value)}
        data={[{ value: '', label: words('choose') }, ...options]}
      />
      {template && hasHeader(template) && (
        <TextInput
          label={words(hasFile(template) ? 'file' : 'header')}
          value={values.header}
          onChange={(event) => put(template, { ...values, header: event.currentTarget.value })}
        />
      )}
      {template &&
        values.body.map((value, place) => (
          <TextInput
            // biome-ignore lint/suspicious/noArrayIndexKey: values are identified by their position
            key={place}
            label={words('variable', { place: place + 1 })}
            value={value}
            onChange={(event) => {
              put(template, { ...values, body: at(values.body, place, event.currentTarget.value) })
            }}
          />
        ))}
      {template &&
        buttonsWithPlaceholder(template).map((label, place) => (
          <TextInput
            key={label}
            label={words('button', { label })}
            value={values.buttons[place] ?? ''}
            onChange={(event) => {
              const buttons = at(values.buttons, place, event.currentTarget.value)
              put(template, { ...values, buttons })
            }}
          />
        ))}
      {template && (
        <figure className={classes.preview} aria-label={words('preview')}>
          {previewOf(template, values)}
        </figure>
      )}
    </Stack>
  )
}
