// What the server shows, by the names of its own document.
import type { components } from '../../../shared/api'

type Schemas = components['schemas']

export type Me = Schemas['Me']
export type Row = Schemas['CustomerRoom']
export type Comment = Schemas['ClientComment']
export type PageMeta = Schemas['PageMeta']

/** How the omnichannel calls answer. */
export interface Data<T> {
  data: T
}

export interface Page<T> extends Data<T> {
  meta: PageMeta
}
