import { Text } from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import classes from '../Composer.module.css'

/** Accepts files dropped anywhere on the page. Otherwise the browser would navigate to them. */
export function DropArea({ onFiles }: { onFiles: (files: FileList) => void }) {
  const words = useTranslations('composer')
  const [isOver, setOver] = useState(false)
  const newest = useRef(onFiles)
  useEffect(() => {
    newest.current = onFiles
  })
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent) => {
      setOver(false)
      if (!hasFiles(event) || !event.dataTransfer) return
      event.preventDefault()
      newest.current(event.dataTransfer.files)
    }
    document.addEventListener('dragover', over)
    document.addEventListener('dragleave', leave)
    document.addEventListener('drop', drop)
    return () => {
      document.removeEventListener('dragover', over)
      document.removeEventListener('dragleave', leave)
      document.removeEventListener('drop', drop)
    }
  }, [])
  if (!isOver) return null
  return (
    <div className={classes.drop}>
      <IconFileUpload size={32} aria-hidden />
      <Text fw={600}>{words('dropHere')}</Text>
    </div>
  )
}
