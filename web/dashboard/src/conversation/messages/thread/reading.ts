// The loaded part of a room's messages, and how pages and frames change it.

import type { Frame } from '../../../../../shared/live'
import type { OutboxItem } from '../../../../../shared/outbox'
import { compareIds, Thread } from '../../../../../shared/thread'
import type { Comment, Page } from '../../../app/shapes'
import { isFromCustomer } from '../sender'
import type { Change } from './replay'

export interface Reading {
  thread: Thread<Comment, OutboxItem>
  /** Whether the room's newest message is loaded. Until then, new live messages are skipped. */
  hasNewest: boolean
  /** Unique ids of the live messages that were skipped. */
  missed: ReadonlySet<string>
  /** Unique ids of the messages that were edited while the thread was open. */
  edited: ReadonlySet<string>
}

export type ReadingChange = Change<Reading>

export function beginning(): Reading {
  return { thread: Thread.empty(), hasNewest: false, missed: new Set(), edited: new Set() }
}

export type MessagePage = Page<{ comments: Comment[] }>

/** Returns a thread of one page. */
export function onlyPage({ data, meta }: MessagePage): Reading {
  const thread = beginning().thread.merge(data.comments, meta.before === null)
  return { ...beginning(), thread, hasNewest: meta.after === null }
}

/** Adds a page of the messages before the loaded ones. */
export function withPageBefore(reading: Reading, { data, meta }: MessagePage): Reading {
  const thread = reading.thread.merge(data.comments, meta.before === null)
  return { ...reading, thread }
}

/** Replaces the loaded messages after `from` by a page. */
export function withPageAfter(
  reading: Reading,
  { data, meta }: MessagePage,
  from: string,
): Reading {
  const isLast = meta.after === null
  const hasNewest = isLast || reading.hasNewest
  const comments = data.comments.map((it) => withState(reading, it))
  const found = new Set(comments.map((it) => it.id_str))
  const end = comments.at(-1)?.id_str ?? from
  const isInPage = (id: string) => compareIds(id, from) > 0 && (isLast || compareIds(id, end) <= 0)
  // The page should contain these messages. They were deleted.
  const gone = messagesOf(reading).filter(({ id_str }) => isInPage(id_str) && !found.has(id_str))
  const uniqueIds = gone.map((it) => it.unique_temp_id)
  const thread = reading.thread.delete(uniqueIds, () => null).merge(comments)
  return { ...reading, thread, hasNewest, missed: hasNewest ? new Set() : reading.missed }
}

/** Returns an id before the newest loaded messages and after all others, or undefined if no message
 * is loaded. */
export function startOfNewest(reading: Reading, count: number): string | undefined {
  const first = messagesOf(reading).slice(-count)[0]
  return first && String(BigInt(first.id_str) - 1n)
}

function messagesOf({ thread }: Reading): Comment[] {
  return thread.entries().flatMap(({ message }) => message ?? [])
}

/** Returns the change that a frame causes, or null if it is about another room. */
export function changeOf({ type, data }: Frame, room: string): ReadingChange | null {
  switch (type) {
    case 'message': {
      const comment = data as Comment
      return comment.room_id_str === room ? (reading) => withNew(reading, comment) : null
    }
    case 'message_updated': {
      const comment = data as Comment
      return comment.room_id_str === room ? (reading) => withCorrected(reading, comment) : null
    }
    case 'messages_deleted': {
      const gone = data as { room_id: string; unique_ids: string[]; is_hard_delete: boolean }
      if (gone.room_id !== room) return null
      const trace = (comment: Comment) => (gone.is_hard_delete ? null : placeholderOf(comment))
      return (reading) => ({ ...reading, thread: reading.thread.delete(gone.unique_ids, trace) })
    }
    case 'channel_status': {
      const frame = data as ChannelStateFrame
      return frame.room_id === room ? (reading) => withChannelState(reading, frame) : null
    }
    case 'delivered':
    case 'read': {
      const receipt = data as Receipt
      return receipt.room_id === room ? (reading) => withReceipt(reading, type, receipt) : null
    }
    default:
      return null
  }
}

function withNew(reading: Reading, comment: Comment): Reading {
  const isKnown = reading.thread.get(comment.unique_temp_id) !== undefined
  if (!reading.hasNewest && !isKnown) {
    return { ...reading, missed: new Set(reading.missed).add(comment.unique_temp_id) }
  }
  return { ...reading, thread: reading.thread.merge([withState(reading, comment)]) }
}

/** Replaces a loaded message by its edited or deleted version. */
export function withCorrected(reading: Reading, comment: Comment): Reading {
  if (reading.thread.get(comment.unique_temp_id) === undefined) return reading
  const edited = new Set(reading.edited).add(comment.unique_temp_id)
  return { ...reading, edited, thread: reading.thread.merge([withState(reading, comment)]) }
}

/** Returns the placeholder of a deleted message. */
export function placeholderOf(comment: Comment): Comment {
  return { ...comment, message: '', payload: null, is_deleted: true }
}

/** Returns a message with the newest known channel state. Message frames have no channel state, and
 * a page may be older than a frame. */
function withState(reading: Reading, comment: Comment): Comment {
  const known = reading.thread.get(comment.unique_temp_id)?.channel_status
  const isOlder = known && (comment.channel_status?.at ?? '') < known.at
  return isOlder ? { ...comment, channel_status: known } : comment
}

interface ChannelStateFrame {
  room_id: string
  comment_id: string
  channel_status: NonNullable<Comment['channel_status']>
}

function withChannelState(
  reading: Reading,
  { comment_id, channel_status }: ChannelStateFrame,
): Reading {
  const message = messagesOf(reading).find((it) => it.id_str === comment_id)
  if (!message) return reading
  return { ...reading, thread: reading.thread.merge([{ ...message, channel_status }]) }
}

interface Receipt {
  room_id: string
  user_id: string
  comment_id: string
}

const RANK: Record<string, number> = { sent: 0, delivered: 1, read: 2 }

/** Raises the status of the messages that the customer received or read. Receipts of agents are
 * ignored. */
function withReceipt(reading: Reading, status: 'delivered' | 'read', receipt: Receipt): Reading {
  const messages = messagesOf(reading)
  const isTheirs = messages.some((it) => it.email === receipt.user_id && isFromCustomer(it))
  if (!isTheirs) return reading
  const raised = messages.filter(
    (it) =>
      it.email !== receipt.user_id &&
      compareIds(it.id_str, String(receipt.comment_id)) <= 0 &&
      (RANK[it.status] ?? 0) < (RANK[status] ?? 0),
  )
  if (raised.length === 0) return reading
  return { ...reading, thread: reading.thread.merge(raised.map((it) => ({ ...it, status }))) }
}
