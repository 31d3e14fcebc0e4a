import type { Template } from '../app/shapes'

/** The values of a template's placeholders. */
export interface Values {
  header: string
  body: string[]
  buttons: string[]
}

type Component = Template['components'][number]

const part = (template: Template, type: string): Component | undefined =>
  template.components.find((it) => it.type === type)

const times = (count: number): string[] => Array.from({ length: count }, () => '')

/** Whether the header is a file, whose URL is its value. */
export const hasFile = (template: Template): boolean => {
  const header = part(template, 'HEADER')
  return header !== undefined && !['TEXT', null, undefined].includes(header.format)
}

export const hasHeader = (template: Template): boolean =>
  (part(template, 'HEADER')?.parameters ?? 0) > 0

/** Returns the labels of buttons that have a placeholder. */
export const buttonsWithPlaceholder = (template: Template): string[] =>
  (part(template, 'BUTTONS')?.buttons ?? []).filter((it) => it.parameters > 0).map((it) => it.text)

/** Returns empty values for all placeholders of a template. */
export const emptyValues = (template: Template): Values => ({
  header: '',
  body: times(part(template, 'BODY')?.parameters ?? 0),
  buttons: times(buttonsWithPlaceholder(template).length),
})

export const isComplete = (template: Template, values: Values): boolean =>
  [...values.body, ...values.buttons, ...(hasHeader(template) ? [values.header] : [])].every(
    (it) => it.trim() !== '',
  )

/** Returns the placeholders of a text, each once; numbered ones in ascending order. */
export function placeholdersOf(text: string): string[] {
  const names = [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((it) => it[1] ?? '')
  const each = [...new Set(names)]
  return each.every((it) => /^\d+$/.test(it)) ? each.sort((a, b) => Number(a) - Number(b)) : each
}

/** Replaces the placeholders of a text by values; those without a value stay. */
function withValues(text: string, values: string[]): string {
  const places = placeholdersOf(text)
  return text.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (place, name: string) => {
    return values[places.indexOf(name)] || place
  })
}

/** Returns the text that the customer will read. */
export function previewOf(template: Template, values: Values): string {
  const header = part(template, 'HEADER')
  const first = hasFile(template) ? values.header : withValues(header?.text ?? '', [values.header])
  const body = withValues(part(template, 'BODY')?.text ?? '', values.body)
  return [first, body, part(template, 'FOOTER')?.text ?? ''].filter((it) => it !== '').join('\n')
}

/** Returns the request body. */
export const bodyOf = (template: Template, values: Values) => ({
  template_name: template.name,
  language: template.language,
  variables: values.body,
  button_params: values.buttons,
  ...(hasHeader(template) ? { header_value: values.header } : {}),
})
