import { useCallback, useEffect, useReducer, useRef } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import { CallError } from '../../../../../shared/call'
import { fileSize } from '../../../../../shared/text'
import type { Me, UploadedFile } from '../../../app/shapes'
import { type Upload, upload } from './upload'

/** A file being uploaded or uploaded. It is part of no message until one is sent with it. */
export interface UploadItem {
  key: string
  file: File
  /** Object URL of the picture, or null for other files. */
  preview: string | null
  state: 'uploading' | 'done' | 'failed'
  share: number
  reason: string | null
  stored: UploadedFile | null
}

export interface Uploads {
  items: UploadItem[]
  files: UploadedFile[]
  add: (files: FileList) => void
  retry: (key: string) => void
  remove: (key: string) => void
  clear: () => void
}

type Change = (items: UploadItem[]) => UploadItem[]

const PICTURE = /^image\/(png|jpeg|gif|webp|avif)$/

/** Uploads the files of the next message and tracks their progress. */
export function useUploads(me: Me): Uploads {
  const words = useTranslations('composer')
  const locale = useLocale()
  const [items, apply] = useReducer((items: UploadItem[], change: Change) => change(items), [])
  const newest = useRef(items)
  newest.current = items
  const running = useRef(new Map<string, Upload>())
  const sizeMax = me.server.upload_max_bytes

  const set = useCallback(
    (key: string, change: Partial<UploadItem>) =>
      apply((items) => items.map((it) => (it.key === key ? { ...it, ...change } : it))),
    [],
  )
  const start = useCallback(
    (key: string, file: File) => {
      if (file.size > sizeMax) {
        const reason = words('tooLarge', { max: fileSize(sizeMax, locale) })
        set(key, { state: 'failed', reason })
        return
      }
      set(key, { state: 'uploading', share: 0, reason: null })
      const one = upload(file, (share) => set(key, { share }))
      running.current.set(key, one)
      one.done
        .then((stored) => set(key, { state: 'done', share: 1, stored }))
        .catch((error: unknown) => {
          const reason = error instanceof CallError && error.status !== 0 ? error.message : null
          set(key, { state: 'failed', reason: reason ?? words('noAnswer') })
        })
        .finally(() => running.current.delete(key))
    },
    [sizeMax, words, locale, set],
  )
  const drop = useCallback((keys: readonly string[]) => {
    for (const item of newest.current) {
      if (!keys.includes(item.key)) continue
      running.current.get(item.key)?.cancel()
      if (item.preview) URL.revokeObjectURL(item.preview)
    }
    apply((items) => items.filter((it) => !keys.includes(it.key)))
  }, [])
  useEffect(() => () => drop(newest.current.map((it) => it.key)), [drop])

  return {
    items,
    files: items.flatMap((it) => it.stored ?? []),
    add(files) {
      const added = [...files].map((file) => newItem(file))
      apply((items) => [...items, ...added])
      for (const { key, file } of added) start(key, file)
    },
    retry(key) {
      const item = newest.current.find((it) => it.key === key)
      if (item) start(key, item.file)
    },
    remove: (key) => drop([key]),
    clear: () => drop(newest.current.map((it) => it.key)),
  }
}

function newItem(file: File): UploadItem {
  return {
    key: crypto.randomUUID(),
    file,
    preview: PICTURE.test(file.type) ? URL.createObjectURL(file) : null,
    state: 'uploading',
    share: 0,
    reason: null,
    stored: null,
  }
}
