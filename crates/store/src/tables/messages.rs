//! Messages, their unique ids, and the numbers of deleted messages.
//!
//! SQLite inserts new messages row by row, PostgreSQL all messages of a commit at once. SQLite
//! writes its index of message numbers with a delay (D-0016); in PostgreSQL the row of the room
//! names its last message. Each engine finds and reads pages in its own way.

use std::sync::Arc;

use confab_domain::ids::{AppId, MessageId, RoomId, UserKey};
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::rooms::room::RoomRef;
use confab_domain::time::Timestamp;

use super::hidden_messages;
use crate::error::Read;
use crate::reading::pages::{MessageKey, PageEntry};
use crate::sql::{Ask, Row, ValueRow, count, on_shards, prepared, statements, values};
use crate::store::Store;

macro_rules! message_columns {
    ($m:literal) => {
        $crate::sql::columns!($m; "id", "room", "number", "before_id", "sender", "kind", "text",
            "payload", "extras", "client_unique_id", "posted_at", "is_deleted")
    };
}
pub(crate) use message_columns;

/// Number of columns of a message.
pub(crate) const COLUMNS: usize = count(message_columns!(""));

prepared! {
    POSTGRES_INSERT_MESSAGES = "INSERT INTO messages \
        (id, room, number, before_id, sender, posted_at, kind, text, payload, extras, \
        client_unique_id, is_deleted) \
        SELECT id, room, number, before_id, sender, posted_at, kind, text, payload, extras, \
        client_unique_id, 0 FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], \
        $5::bigint[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[]) \
        new (id, room, number, before_id, sender, posted_at, kind, text, payload, extras, \
        client_unique_id)";
    // For a few rows of one shard: see `postgres/sharding.rs`.
    POSTGRES_INSERT_MESSAGE = "INSERT INTO messages \
        (id, room, number, before_id, sender, posted_at, kind, text, payload, extras, \
        client_unique_id, is_deleted) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0)";
    POSTGRES_INSERT_CLIENT_IDS = "INSERT INTO client_ids (unique_id, app, room, message) \
        SELECT unique_id, app, room, message \
        FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) \
        new (unique_id, app, room, message)";
    POSTGRES_SET_LAST_MESSAGES = concat!("UPDATE rooms r \
        SET last_message = new.message, last_number = new.number \
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) new (room, message, number) \
        WHERE r.id = new.room", on_shards!(" AND r.id = ANY ($1)"));
    // `POSTGRES_SET_LAST_MESSAGES` only for rooms that match their cached version and last
    // message.
    POSTGRES_SET_LAST_IF_SAME = "UPDATE rooms r \
        SET last_message = new.message, last_number = new.number \
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) \
        new (room, message, number, before, version) WHERE r.id = new.room \
        AND r.last_message = new.before AND r.version = new.version";
    POSTGRES_SET_READ_NUMBERS = concat!("UPDATE participants p SET read_number = new.number \
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) new (room, user_key, number) \
        WHERE p.room = new.room AND p.user_key = new.user_key AND p.read_number < new.number",
        on_shards!(" AND p.room = ANY ($1)"));
    EDIT_MESSAGE = "UPDATE messages SET text = $3, payload = $4, extras = $5 \
        WHERE room = $1 AND id = $2 AND is_deleted = 0";
    EMPTY_MESSAGE = "UPDATE messages \
        SET is_deleted = 1, text = '', payload = NULL, extras = NULL WHERE room = $1 AND id = $2";
    INSERT_DELETION = "INSERT INTO deletions (room, number) VALUES ($1, $2)";
}

statements! {
    SQLITE_INSERT_MESSAGE = "INSERT INTO messages \
        (id, room, number, before_id, sender, kind, text, payload, extras, client_unique_id, \
        posted_at, is_deleted) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0)";
    SQLITE_INSERT_CLIENT_ID = "INSERT INTO client_ids (app, unique_id, message) \
        VALUES ($1, $2, $3)";
    // Locate a message in a room of the user. SQLite finds a message by its id alone; PostgreSQL,
    // which keys messages by room, searches each of the user's rooms.
    SQLITE_PLACE_OF_MESSAGE = "SELECT m.room, m.number, m.sender FROM messages m \
        JOIN participants p ON p.room = m.room AND p.user_key = $1 \
        WHERE m.id = $2 AND m.is_deleted = 0 AND m.number > p.cleared_number";
    POSTGRES_PLACE_OF_MESSAGE = "SELECT m.room, m.number, m.sender \
        FROM participants p CROSS JOIN LATERAL ( \
        SELECT room, number, sender FROM messages WHERE room = p.room AND id = $2 \
        AND is_deleted = 0 AND number > p.cleared_number LIMIT 1) m WHERE p.user_key = $1";
}

pub(crate) fn row<R: Row>(row: &R) -> Result<Message, R::Error> {
    row_from(row, 0)
}

/// Reads a message, whose columns begin at `first`.
pub(crate) fn row_from<R: Row>(row: &R, first: usize) -> Result<Message, R::Error> {
    Ok(Message {
        id: MessageId(row.number(first)?),
        room: RoomId(row.number(first + 1)?),
        number: row.number(first + 2)? as u64,
        before: row.maybe_number(first + 3)?.map(MessageId),
        sender: UserKey(row.number(first + 4)?),
        kind: row.known(first + 5, "message kind", MessageKind::parse)?,
        text: row.text(first + 6)?,
        payload: row.json(first + 7)?,
        extras: row.json(first + 8)?,
        client_unique_id: row.maybe_text(first + 9)?.map(UniqueId::from_stored),
        posted_at: row.time(first + 10)?,
        is_deleted: row.flag(first + 11)?,
    })
}

pub(crate) fn edit(message: &Message) -> Ask {
    let Message { room, id, text, payload, extras, .. } = message;
    Ask::new(&EDIT_MESSAGE, values![room.0, id.0, text, payload.as_ref(), extras.as_ref()])
}

/// Deletes a message's content and records its number as deleted (D-0020). The row of the message
/// remains.
pub(crate) fn delete(room: RoomId, number: u64, id: MessageId) -> Vec<Ask> {
    vec![
        Ask::new(&EMPTY_MESSAGE, values![room.0, id.0]),
        Ask::new(&INSERT_DELETION, values![room.0, number as i64]),
        hidden_messages::delete(room, number),
    ]
}

impl Store {
    /// Returns a page of a room, newest message first, without deleted messages; `None` if the app
    /// has no such room.
    pub async fn page(
        &self,
        app: AppId,
        room: &RoomRef,
        skipped: u64,
        size: usize,
    ) -> Read<Option<Vec<PageEntry>>> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.page(app, room, skipped, size)),
            Self::Postgres(engine) => engine.page(app, room, skipped, size).await,
        }
    }

    /// Returns at most `size` messages of a room between two ids, newest first, without deleted
    /// messages; `None` if the app has no such room.
    pub async fn range(
        &self,
        app: AppId,
        room: &RoomRef,
        ids: (MessageId, MessageId),
        size: usize,
    ) -> Read<Option<Vec<PageEntry>>> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.range(app, room, ids, size)),
            Self::Postgres(engine) => engine.range(app, room, ids, size).await,
        }
    }

    /// Returns the newest messages of a room up to this one, newest first. Deleted messages are
    /// included without content.
    pub async fn all_up_to(
        &self,
        room: RoomId,
        newest: MessageId,
        size: usize,
    ) -> Read<Vec<PageEntry>> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.all_up_to(room, newest, size)),
            Self::Postgres(engine) => engine.all_up_to(room, newest, size).await,
        }
    }

    /// Returns messages of a room after this one, oldest first, including deleted ones.
    pub async fn all_after(
        &self,
        room: RoomId,
        after: MessageId,
        size: usize,
    ) -> Read<Vec<PageEntry>> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.all_after(room, after, size)),
            Self::Postgres(engine) => engine.all_after(room, after, size).await,
        }
    }

    /// Returns all messages that a room ever had, oldest first, for consistency checks. Deleted
    /// messages are included without content.
    pub async fn chain(&self, room: RoomId) -> Read<Vec<Message>> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.chain(room)),
            Self::Postgres(engine) => engine.chain(room).await,
        }
    }

    /// Returns the first messages with these keys, in the same order: at least one, and as many as
    /// a single read may return. A message that was deleted since its page was found is returned
    /// without content, so that the page keeps its length.
    pub async fn messages(&self, keys: &[MessageKey]) -> Read<Vec<Arc<PostedMessage>>> {
        match self {
            Self::Sqlite(engine) => {
                let keys = keys.to_vec();
                engine.read_long(move |reads| reads.messages(&keys)).await
            }
            Self::Postgres(engine) => engine.messages(keys).await,
        }
    }

    /// Returns all messages of a short page, and loads those that were deferred.
    pub async fn loaded(&self, page: Vec<PageEntry>) -> Read<Vec<Arc<PostedMessage>>> {
        let mut loaded = Vec::with_capacity(page.len());
        let mut entries = page.into_iter().peekable();
        while let Some(entry) = entries.next() {
            let mut keys = match entry {
                PageEntry::Loaded(posted) => {
                    loaded.push(posted);
                    continue;
                }
                PageEntry::Deferred(key) => vec![key],
            };
            while let Some(PageEntry::Deferred(key)) =
                entries.next_if(|next| matches!(next, PageEntry::Deferred(_)))
            {
                keys.push(key);
            }
            while !keys.is_empty() {
                let some = self.messages(&keys).await?;
                keys.drain(..some.len().min(keys.len()));
                loaded.extend(some);
            }
        }
        Ok(loaded)
    }

    /// Returns at most `size` messages after this one in the user's rooms, oldest first, without
    /// messages that are deleted or that the user cleared.
    pub async fn messages_after(
        &self,
        user: UserKey,
        after: MessageId,
        size: usize,
    ) -> Read<Vec<PageEntry>> {
        match self {
            Self::Sqlite(engine) => {
                engine.read_long(move |reads| reads.messages_after(user, after, size)).await
            }
            Self::Postgres(engine) => engine.messages_after(user, after, size).await,
        }
    }

    /// Returns messages before `last` that a client that already received `last` may have missed,
    /// because another node committed them later, in other rooms: the newest of them, oldest first.
    /// Always empty on SQLite.
    pub async fn late_messages(
        &self,
        user: UserKey,
        last: MessageId,
        now: Timestamp,
    ) -> Read<Vec<PageEntry>> {
        match self {
            Self::Sqlite(_) => Ok(Vec::new()),
            Self::Postgres(engine) => engine.late_messages(user, last, now).await,
        }
    }

    /// Returns at most `size` messages of a room whose id and number are greater than these, oldest
    /// first, without deleted messages.
    pub async fn following(
        &self,
        room: RoomId,
        after: MessageId,
        number: u64,
        size: usize,
    ) -> Read<Vec<PageEntry>> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.following(room, after, number, size)),
            Self::Postgres(engine) => engine.following(room, after, number, size).await,
        }
    }

    /// Returns room, number and sender of a message, if it is in a room of the user and the user
    /// has not cleared it.
    pub async fn place_of_message(
        &self,
        user: UserKey,
        message: MessageId,
    ) -> Read<Option<(RoomId, u64, UserKey)>> {
        let text = match self {
            Self::Sqlite(_) => &SQLITE_PLACE_OF_MESSAGE,
            Self::Postgres(_) => &POSTGRES_PLACE_OF_MESSAGE,
        };
        let ask = Ask::new(text, values![user.0, message.0]);
        let read = |row: &ValueRow| {
            Ok((RoomId(row.number(0)?), row.number(1)? as u64, UserKey(row.number(2)?)))
        };
        Ok(self.query_now(ask, read).await?.pop())
    }
}
