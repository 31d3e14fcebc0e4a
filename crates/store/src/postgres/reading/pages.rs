//! Pages of messages. Each page is read by a single statement, and therefore from one snapshot,
//! which includes every commit answered before. First pages may come from a cache (`first_pages`).
//!
//! The newest number of a page is found without OFFSET: the statement goes down by the number of
//! deleted messages above, then by the number of deleted messages in the added range, and so on.

use std::sync::Arc;

use confab_domain::ids::{AppId, MessageId, RoomId};
use confab_domain::limits;
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::people::user::User;
use confab_domain::rooms::room::RoomRef;
use tokio_postgres::Row;

use crate::error::{Read, StoreError};
use crate::postgres::Engine;
use crate::postgres::connections::connection::Params;
use crate::postgres::connections::lists::params;
use crate::reading::pages::{MessageKey, PageEntry};
use crate::sql::{Row as _, as_offset, on_shards, statements};
use crate::tables::messages::{self, message_columns};
use crate::tables::users::{self, user_columns};

/// Size of a message `m` and its sender `u` in bytes, computed without loading them.
macro_rules! weight {
    () => {
        "octet_length(m.text) + coalesce(octet_length(m.payload), 0) \
        + coalesce(octet_length(m.extras), 0) + coalesce(octet_length(u.extras), 0)"
    };
}

/// Messages with their senders. JSON of more than `$bytes` is returned as an empty string, which is
/// invalid JSON, so that the message is read later (D-0081). Small messages cost the least this
/// way.
macro_rules! page_entries {
    ($before:literal, $messages:literal, $bytes:literal, $order:literal $(, $more:literal)?) => {
        concat!(
            $before,
            "SELECT m.id, m.room, m.number, m.before_id, m.sender, m.kind, m.text, \
            CASE WHEN octet_length(m.payload) > ",
            $bytes,
            "::bigint THEN '' ELSE m.payload END, CASE WHEN octet_length(m.extras) > ",
            $bytes,
            "::bigint THEN '' ELSE m.extras END, m.client_unique_id, m.posted_at, \
            m.is_deleted, u.id, u.app, u.user_id, u.username, u.avatar_url, \
            CASE WHEN octet_length(u.extras) > ",
            $bytes,
            "::bigint THEN '' ELSE u.extras END, u.is_active, u.created_at, u.updated_at, u.realm",
            $($more,)?
            " FROM (",
            $messages,
            ") m JOIN users u ON u.id = m.sender ",
            $order
        )
    };
}

statements! {
    FIRST_PAGE = page_entries!(
        "",
        "SELECT * FROM messages WHERE room = $1 AND is_deleted = 0 \
        ORDER BY number DESC LIMIT $2",
        "$3",
        "ORDER BY m.number DESC",
        // Versions under which the page is cached.
        ", u.version, (SELECT version FROM rooms WHERE id = $1), \
        (SELECT last_message FROM rooms WHERE id = $1)"
    );
    PAGE = page_entries!(
        "WITH RECURSIVE top (number, above) AS ( \
        SELECT last_number - $2, last_number FROM rooms WHERE id = $1 \
        UNION ALL \
        SELECT top.number - deleted.count, top.number FROM top, LATERAL ( \
            SELECT count(*) AS count FROM deletions \
            WHERE room = $1 AND number > top.number AND number <= top.above) deleted \
        WHERE deleted.count > 0 AND top.number > 0) ",
        "SELECT * FROM messages WHERE room = $1 AND is_deleted = 0 \
        AND number <= (SELECT min(number) FROM top) ORDER BY number DESC LIMIT $3",
        "$4",
        "ORDER BY m.number DESC"
    );
    RANGE = page_entries!(
        "",
        "SELECT * FROM messages WHERE room = $1 AND is_deleted = 0 AND id BETWEEN $2 AND $3 \
        ORDER BY id DESC LIMIT $4",
        "$5",
        "ORDER BY m.id DESC"
    );
    ALL_UP_TO = page_entries!(
        "",
        "SELECT * FROM messages WHERE room = $1 AND id <= $2 ORDER BY id DESC LIMIT $3",
        "$4",
        "ORDER BY m.id DESC"
    );
    ALL_AFTER = page_entries!(
        "",
        "SELECT * FROM messages WHERE room = $1 AND id > $2 ORDER BY id LIMIT $3",
        "$4",
        "ORDER BY m.id"
    );
    // The first of these messages whose total size is below `$3`, and one more.
    MESSAGES = concat!(
        "WITH weighed AS (SELECT asked.room, asked.id, asked.place, ", weight!(), " AS weight, \
        sum(", weight!(), ") OVER (ORDER BY asked.place) AS up_to \
        FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY asked (room, id, place) \
        JOIN messages m ON m.room = asked.room AND m.id = asked.id \
        JOIN users u ON u.id = m.sender", on_shards!(" WHERE m.room = ANY ($1)"), ") \
        SELECT ",
        message_columns!("m."), ", ", user_columns!("u."), " FROM weighed \
        JOIN messages m ON m.room = weighed.room AND m.id = weighed.id \
        JOIN users u ON u.id = m.sender \
        WHERE weighed.up_to - weighed.weight < $3::bigint", on_shards!(" AND m.room = ANY ($1)"),
        " ORDER BY weighed.place"
    );
    CHAIN = concat!("SELECT ", message_columns!(""), " FROM messages WHERE room = $1 ORDER BY id");
}

impl Engine {
    pub(crate) async fn page(
        &self,
        app: AppId,
        room: &RoomRef,
        skipped: u64,
        size: usize,
    ) -> Read<Option<Vec<PageEntry>>> {
        let Some(room) = self.room_id(app, room).await? else { return Ok(None) };
        if skipped == 0 {
            return self.first_page(room, size).await.map(Some);
        }
        // Avoids an overflow of the sum; no room has so many messages.
        let skipped = as_offset(skipped.min(1 << 60));
        let params: Params<'_> = &[&room.0, &skipped, &(size as i64), &light_bytes(size)];
        let rows = self.readers.query(READING_PAGE, PAGE.postgres(), params).await?;
        Ok(Some(page_entries(&rows)?))
    }

    /// Returns the first page, from the cache if it is current.
    async fn first_page(&self, room: RoomId, size: usize) -> Read<Vec<PageEntry>> {
        if let Some(page) = self.first_pages.get(room, size).await? {
            return Ok(page);
        }
        let unversioned_commits = self.first_pages.unversioned_commits();
        let params: Params<'_> = &[&room.0, &(size as i64), &light_bytes(size)];
        let rows = self.readers.query(READING_PAGE, FIRST_PAGE.postgres(), params).await?;
        let page = page_entries(&rows)?;
        let is_all = page.len() < size;
        if is_all || size >= limits::PAGE_DEFAULT {
            self.first_pages.keep(&rows, &page, is_all, unversioned_commits)?;
        }
        Ok(page)
    }

    pub(crate) async fn range(
        &self,
        app: AppId,
        room: &RoomRef,
        ids: (MessageId, MessageId),
        size: usize,
    ) -> Read<Option<Vec<PageEntry>>> {
        let Some(room) = self.room_id(app, room).await? else { return Ok(None) };
        let light = light_bytes(size);
        let params: Params<'_> = &[&room.0, &ids.0.0, &ids.1.0, &(size as i64), &light];
        let text = RANGE.postgres();
        let rows = self.readers.query("reading a range", text, params).await?;
        Ok(Some(page_entries(&rows)?))
    }

    /// Implements [`crate::Store::all_up_to`].
    pub(crate) async fn all_up_to(
        &self,
        room: RoomId,
        newest: MessageId,
        size: usize,
    ) -> Read<Vec<PageEntry>> {
        let params: Params<'_> = &[&room.0, &newest.0, &(size as i64), &light_bytes(size)];
        let text = ALL_UP_TO.postgres();
        page_entries(&self.readers.query("reading a conversation", text, params).await?)
    }

    /// Implements [`crate::Store::all_after`].
    pub(crate) async fn all_after(
        &self,
        room: RoomId,
        after: MessageId,
        size: usize,
    ) -> Read<Vec<PageEntry>> {
        let params: Params<'_> = &[&room.0, &after.0, &(size as i64), &light_bytes(size)];
        let text = ALL_AFTER.postgres();
        page_entries(&self.readers.query("reading a conversation", text, params).await?)
    }

    /// Implements [`crate::Store::messages`]. The messages may be many or large, so they are read
    /// on a list connection, where they delay no others.
    pub(crate) async fn messages(&self, keys: &[MessageKey]) -> Read<Vec<Arc<PostedMessage>>> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let (rooms, ids) = by_message(keys);
        let params = params![rooms, ids, limits::PAGE_READ_BYTES as i64];
        read_messages(keys, &self.list(READING_MESSAGES, MESSAGES.postgres(), params).await?)
    }

    /// Returns entries for these messages. The first ones are loaded, up to the size limit of a
    /// page; the others are keys.
    pub(crate) async fn first_messages(&self, keys: &[MessageKey]) -> Read<Vec<PageEntry>> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let (rooms, ids) = by_message(keys);
        let params: Params<'_> = &[&rooms, &ids, &(limits::PAGE_READ_BYTES as i64)];
        let rows = self.readers.query(READING_MESSAGES, MESSAGES.postgres(), params).await?;
        let read_messages = read_messages(keys, &rows)?;
        let rest = keys[read_messages.len()..].iter().copied().map(PageEntry::Deferred);
        Ok(read_messages.into_iter().map(PageEntry::Loaded).chain(rest).collect())
    }

    pub(crate) async fn chain(&self, room: RoomId) -> Read<Vec<Message>> {
        let text = CHAIN.postgres();
        let rows = self.list("reading a room", text, params![room.0]).await?;
        rows.iter().map(messages::row).collect()
    }
}

const READING_PAGE: &str = "reading a page";

const READING_MESSAGES: &str = "reading messages";

/// Returns the room ids and message ids of these keys.
fn by_message(keys: &[MessageKey]) -> (Vec<i64>, Vec<i64>) {
    keys.iter().map(|key| (key.room.0, key.id.0)).unzip()
}

/// Converts the rows of one read to messages: the first of the messages with these keys, and at
/// least one.
fn read_messages(keys: &[MessageKey], rows: &[Row]) -> Read<Vec<Arc<PostedMessage>>> {
    let posted: Vec<_> = read_posted(rows)?.into_iter().map(Arc::new).collect();
    // Deleted messages lose their content, not their row.
    let is_there = posted.iter().zip(keys).all(|(posted, key)| posted.message.id == key.id);
    match is_there && !posted.is_empty() {
        true => Ok(posted),
        false => Err(StoreError::while_doing(READING_MESSAGES)("a message is gone")),
    }
}

/// Returns the maximum size in bytes of each JSON value of a message that is loaded with a page of
/// `size` messages.
fn light_bytes(size: usize) -> i64 {
    (limits::PAGE_READ_BYTES / size.max(1)) as i64
}

/// Converts rows to messages with their senders. Messages of the same sender share one value.
pub(crate) fn read_posted(rows: &[Row]) -> Read<Vec<PostedMessage>> {
    let mut posted: Vec<PostedMessage> = Vec::with_capacity(rows.len());
    for row in rows {
        let message = messages::row(row)?;
        let known = posted.iter().rev().find(|other| other.message.sender == message.sender);
        let sender = match known {
            Some(other) => other.sender.clone(),
            None => Arc::new(users::row_from(row, messages::COLUMNS)?),
        };
        posted.push(PostedMessage { message, sender });
    }
    Ok(posted)
}

/// Converts the rows of a page to entries. Messages with large JSON become keys.
fn page_entries(rows: &[Row]) -> Read<Vec<PageEntry>> {
    let mut entries: Vec<PageEntry> = Vec::with_capacity(rows.len());
    let mut senders: Vec<Arc<User>> = Vec::new();
    for row in rows {
        let message = messages::row(row)?;
        if is_heavy(row)? {
            let Message { room, id, number, .. } = message;
            entries.push(PageEntry::Deferred(MessageKey { room, id, number }));
            continue;
        }
        let known = senders.iter().find(|sender| sender.key == message.sender).cloned();
        let sender = match known {
            Some(sender) => sender,
            None => {
                let sender = Arc::new(users::row_from(row, messages::COLUMNS)?);
                senders.push(sender.clone());
                sender
            }
        };
        entries.push(PageEntry::Loaded(Arc::new(PostedMessage { message, sender })));
    }
    Ok(entries)
}

/// Whether JSON of the message or its sender was too large to be returned with the page.
fn is_heavy(row: &Row) -> Read<bool> {
    for column in [7, 8, messages::COLUMNS + 5] {
        if row.maybe_word(column)? == Some("") {
            return Ok(true);
        }
    }
    Ok(false)
}
