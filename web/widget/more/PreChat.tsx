import { useSignal } from '@preact/signals'
import type { Field } from '../contract'
import type { Chat } from '../state/chat'
import type { Word } from '../words'

const TYPES = { text: 'text', email: 'email', phone: 'tel' }
const COMPLETE = { text: 'on', email: 'email', phone: 'tel' } as const
const EMAIL = /^\S+@\S+\.\S+$/
const PHONE = /^\+?[\d\s().-]{5,}$/

/** The form shown before the first message. */
export function PreChat({ chat }: { chat: Chat }) {
  const values = useSignal<Record<string, string>>({})
  const isTried = useSignal(false)
  const { fields } = chat.settings.value
  const wrong = (field: Field) => problem(field, values.value[field.key]?.trim() ?? '')

  function submit(event: Event) {
    event.preventDefault()
    isTried.value = true
    const first = fields.find((field) => wrong(field))
    if (first) {
      const form = event.currentTarget as HTMLFormElement
      form.querySelector<HTMLElement>(`[name="${CSS.escape(first.key)}"]`)?.focus()
      return
    }
    const given = Object.entries(values.value)
      .map(([key, value]) => ({ key, value: value.trim() }))
      .filter(({ value }) => value !== '')
    const name = given.find(({ key }) => key === 'name')?.value
    const others = given.filter(({ key }) => key !== 'name')
    const root = (event.currentTarget as HTMLElement).getRootNode() as ShadowRoot
    chat.saveAnswers(name, others)
    requestAnimationFrame(() => root.querySelector('textarea')?.focus())
  }

  return (
    <form class="fields" onSubmit={submit} noValidate>
      <p>{chat.appText('welcome')}</p>
      <p>{chat.translate('fieldsIntro')}</p>
      {fields.map((field) => {
        const complaint = isTried.value ? wrong(field) : undefined
        const label = field.label[chat.language.value] || field.label.en || field.key
        return (
          <label key={field.key} class="field">
            {field.is_required ? label : chat.translate('optional', { label })}
            <input
              name={field.key}
              {...({ type: TYPES[field.type] } as object)}
              autocomplete={field.key === 'name' ? 'name' : (COMPLETE[field.type] ?? 'on')}
              maxLength={200}
              value={values.value[field.key] ?? ''}
              aria-required={field.is_required}
              aria-invalid={complaint !== undefined}
              aria-describedby={complaint ? `wrong-${field.key}` : undefined}
              onInput={(event) => {
                values.value = { ...values.value, [field.key]: event.currentTarget.value }
              }}
            />
            {complaint && (
              <span class="wrong" id={`wrong-${field.key}`} role="alert">
                {chat.translate(complaint)}
              </span>
            )}
          </label>
        )
      })}
      <button type="submit" class="primary">
        {chat.translate('start')}
      </button>
    </form>
  )
}

function problem(field: Field, value: string): Word | undefined {
  if (value === '') return field.is_required ? 'required' : undefined
  if (field.type === 'email' && !EMAIL.test(value)) return 'wrongEmail'
  if (field.type === 'phone' && !PHONE.test(value)) return 'wrongPhone'
  return undefined
}
