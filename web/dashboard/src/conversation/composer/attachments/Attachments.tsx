import { Button, CloseButton, Progress, Text } from '@mantine/core'
import { IconFile } from '@tabler/icons-react'
import { useLocale, useTranslations } from 'use-intl'
import { fileSize } from '../../../../../shared/text'
import classes from '../Composer.module.css'
import type { UploadItem, Uploads } from './useUploads'

/** The files of the next message, with their upload progress. */
export function Attachments({ uploads }: { uploads: Uploads }) {
  const words = useTranslations('composer')
  if (uploads.items.length === 0) return null
  return (
    <ul className={classes.files} aria-label={words('files')}>
      {uploads.items.map((item) => (
        <FileItem
          key={item.key}
          item={item}
          retry={() => uploads.retry(item.key)}
          remove={() => uploads.remove(item.key)}
        />
      ))}
    </ul>
  )
}

interface FileItemProps {
  item: UploadItem
  retry: () => void
  remove: () => void
}

function FileItem({ item, retry, remove }: FileItemProps) {
  const words = useTranslations('composer')
  const locale = useLocale()
  const { name, size } = item.file
  return (
    <li className={classes.file} data-state={item.state}>
      {item.preview ? (
        <img className={classes.preview} src={item.preview} alt="" />
      ) : (
        <IconFile size={32} aria-hidden />
      )}
      <div className={classes.fileText}>
        <Text size="sm" truncate>
          {name}
        </Text>
        {item.state === 'failed' ? (
          <div role="alert">
            <Text size="xs">{words('notUploaded', { reason: item.reason ?? '' })}</Text>
            <Button size="compact-xs" variant="default" onClick={retry}>
              {words('retry')}
            </Button>
          </div>
        ) : (
          <Text size="xs" className="muted">
            {fileSize(size, locale)}
          </Text>
        )}
        {item.state === 'uploading' && (
          <Progress size="sm" value={item.share * 100} aria-label={words('uploading', { name })} />
        )}
      </div>
      <CloseButton
        aria-label={words(item.state === 'uploading' ? 'cancelFile' : 'removeFile', { name })}
        onClick={remove}
      />
    </li>
  )
}
