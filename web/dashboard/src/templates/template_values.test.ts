import { expect, test } from 'vitest'
import type { Template } from '../app/shapes'
import {
  bodyOf,
  buttonsWithPlaceholder,
  emptyValues,
  hasFile,
  isComplete,
  placeholdersOf,
  previewOf,
} from './template_values'

const part = (type: string, text = '', parameters = 0) => ({
  type,
  text,
  parameters,
  format: null,
  buttons: [],
})

const order: Template = {
  name: 'order',
  language: 'id',
  category: 'UTILITY',
  status: 'APPROVED',
  is_supported: true,
  components: [
    { ...part('HEADER', 'Order {{1}}', 1), format: 'TEXT' },
    part('BODY', 'Hi {{1}}, it is {{2}}. Bye, {{1}}.', 2),
    part('FOOTER', 'Shop'),
    {
      ...part('BUTTONS'),
      buttons: [
        { type: 'QUICK_REPLY', text: 'Thanks', url: '', parameters: 0 },
        { type: 'URL', text: 'Track', url: 'https://shop.example/{{1}}', parameters: 1 },
      ],
    },
  ],
}

test('a template asks for its placeholders, and the preview fills them in', () => {
  const values = emptyValues(order)
  expect(values).toEqual({ header: '', body: ['', ''], buttons: [''] })
  expect(buttonsWithPlaceholder(order)).toEqual(['Track'])
  expect(isComplete(order, values)).toBe(false)
  values.body[0] = 'Budi'
  expect(previewOf(order, values)).toBe('Order {{1}}\nHi Budi, it is {{2}}. Bye, Budi.\nShop')
  const whole = { header: 'A7', body: ['Budi', 'ready'], buttons: ['a7'] }
  expect(isComplete(order, whole)).toBe(true)
  expect(bodyOf(order, whole)).toEqual({
    template_name: 'order',
    language: 'id',
    variables: ['Budi', 'ready'],
    button_params: ['a7'],
    header_value: 'A7',
  })
})

test('values are not searched for placeholders, and a file is shown by its URL', () => {
  const values = { header: 'https://a.example/b.png', body: ['{{2}}', 'x'], buttons: ['y'] }
  const header = { ...part('HEADER', '', 1), format: 'IMAGE' }
  const picture = { ...order, components: [header, ...order.components.slice(1, 2)] }
  expect(hasFile(picture)).toBe(true)
  expect(hasFile(order)).toBe(false)
  expect(previewOf(picture, values)).toBe('https://a.example/b.png\nHi {{2}}, it is x. Bye, {{2}}.')
})

test('placeholders are sorted by number, or kept in order if they have names', () => {
  expect(placeholdersOf('{{2}} {{1}} {{2}} {{10}}')).toEqual(['1', '2', '10'])
  expect(placeholdersOf('{{shop}} {{ who }} {{}} {{a b}}')).toEqual(['shop', 'who'])
})
