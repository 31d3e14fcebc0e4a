//! Events of rooms: changes of messages, and receipts.
//!
//! This table has no rows for new messages and receipts, whose events are read from the row of the
//! message or the participant. Each engine collects the events of all rooms of a user in its own
//! way.

use std::sync::Arc;

use confab_domain::decision::facts::Facts;
use confab_domain::decision::purging;
use confab_domain::decision::question::Question;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{AppId, EventId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_domain::messages::room_event::{Receipt, RoomEvent, RoomEventKind};
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::time::Timestamp;

use super::{edits, messages, participants, rooms, search, users};
use crate::error::{Read, StoreError, WriteError};
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

/// Selects the columns of an event: kind, id and subject (`$before`), then room `r`, acting user
/// `u`, message `m`, and the number up to which a room was cleared.
macro_rules! event_rows {
    ($before:literal, $cleared:literal, $($from:expr),+) => {
        concat!(
            $before,
            ", r.id AS r1, r.app AS r2, r.unique_id AS r3, r.kind AS r4, r.name AS r5, \
            r.avatar_url AS r6, r.options AS r7, r.created_at AS r8, r.updated_at AS r9, \
            r.customer AS r10, r.audience AS r11, \
            u.id AS u1, u.app AS u2, u.user_id AS u3, u.username AS u4, u.avatar_url AS u5, \
            u.extras AS u6, u.is_active AS u7, u.created_at AS u8, u.updated_at AS u9, \
            u.realm AS u10, \
            m.id AS m1, m.room AS m2, m.number AS m3, m.before_id AS m4, m.sender AS m5, \
            m.kind AS m6, m.text AS m7, m.payload AS m8, m.extras AS m9, \
            m.client_unique_id AS m10, m.posted_at AS m11, m.is_deleted AS m12, ",
            $cleared,
            " AS cleared ",
            $($from),+
        )
    };
}
pub(crate) use event_rows;

prepared! {
    INSERT_EVENT = "INSERT INTO events (room, id, kind, actor, message, subject) \
        VALUES ($1, $2, $3, $4, $5, $6)";
    FORGET_EVENTS = "DELETE FROM events WHERE id < $1";
}

statements! {
    EDITED_AFTER = event_rows!(
        "SELECT e.kind AS happened, e.id AS event, e.subject AS subject",
        "e.message",
        "FROM events e JOIN rooms r ON r.id = e.room JOIN users u ON u.id = e.actor \
        JOIN messages m ON m.room = e.room AND m.id = e.message \
        WHERE e.room = $1 AND e.id > $2 AND e.kind = 'edited' AND m.is_deleted = 0 \
        ORDER BY e.id LIMIT $3"
    );
    SAID_AT = event_rows!(
        "SELECT 'said' AS happened, m.id AS event, '' AS subject",
        "m.number",
        "FROM messages m JOIN rooms r ON r.id = m.room JOIN users u ON u.id = m.sender \
        WHERE m.room = $1 AND m.id = $2 AND m.is_deleted = 0"
    );
    HAPPENED_AT = event_rows!(
        "SELECT e.kind AS happened, e.id AS event, e.subject AS subject",
        "e.message",
        "FROM events e JOIN rooms r ON r.id = e.room JOIN users u ON u.id = e.actor \
        LEFT JOIN messages m ON m.room = e.room AND m.id = e.message AND e.kind = 'edited' \
        WHERE e.room = $1 AND e.id = $2 AND (e.kind <> 'edited' OR m.is_deleted = 0)"
    );
    OLDEST_EVENTS = "SELECT id FROM events WHERE id < $1 ORDER BY id LIMIT $2";
    SQLITE_NEWEST_EVENT = "SELECT max( \
        (SELECT coalesce(max(id), 0) FROM messages), (SELECT coalesce(max(id), 0) FROM events))";
    POSTGRES_NEWEST_EVENTS = "SELECT newest_id, node::bigint, \
        (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM nodes";
}

/// A page of room events.
#[derive(Debug, Clone, Default)]
pub struct RoomEventPage {
    /// Events ordered by id.
    pub events: Vec<RoomEvent>,
    /// Whether there may be more events after the last one.
    pub has_more: bool,
}

/// The newest id that each node wrote.
#[derive(Debug, Clone, Default)]
pub struct NewestEvents {
    /// Number and newest id of each node that ever wrote. Each node's later events have greater
    /// ids.
    pub of_nodes: Vec<(i64, EventId)>,
    /// Current time by the database's clock, which all nodes share; `None` on SQLite.
    pub now: Option<Timestamp>,
}

impl NewestEvents {
    /// Returns the ids without node numbers.
    pub fn ids(&self) -> impl Iterator<Item = EventId> {
        self.of_nodes.iter().map(|(_, id)| *id)
    }
}

/// First column of the room in the row of an event. [`PERSON`] and [`MESSAGE`] are those of the
/// acting user and the message.
const ROOM: usize = 3;
const PERSON: usize = ROOM + rooms::COLUMNS;
const MESSAGE: usize = PERSON + users::COLUMNS;
/// Column of the number up to which a room was cleared.
const CLEARED: usize = MESSAGE + messages::COLUMNS;
/// Number of columns of an event.
pub(crate) const COLUMNS: usize = CLEARED + 1;

/// Reads an event. Its columns are kind, id and subject, followed by room, acting user and message.
pub(crate) fn row(row: &ValueRow) -> Read<RoomEvent> {
    let (kind, id) = (row.word(0)?, EventId(row.number(1)?));
    let by = Arc::new(users::row_from(row, PERSON)?);
    let room = Arc::new(rooms::row_from(row, ROOM)?);
    let posted = || {
        let message = messages::row_from(row, MESSAGE)?;
        Ok::<_, StoreError>(Arc::new(PostedMessage { message, sender: by.clone() }))
    };
    let receipt = || {
        let message = messages::row_from(row, MESSAGE)?;
        let (id, unique_id, number) = (message.id, message.unique_id(), message.number);
        Ok::<_, StoreError>(Receipt { by: by.clone(), message: id, unique_id, number })
    };
    let place = room.id;
    let what = match kind {
        "said" => RoomEventKind::Posted { posted: posted()?, room },
        "edited" => RoomEventKind::Edited { posted: posted()?, room },
        "deleted" | "erased" => {
            let messages = row.word(2)?.lines().map(|it| UniqueId::from_stored(it.to_owned()));
            RoomEventKind::Deleted { by, messages: messages.collect(), is_hard: kind == "erased" }
        }
        "cleared" => RoomEventKind::Cleared { by, number: row.number(CLEARED)? as u64, room },
        "read" => RoomEventKind::Read(receipt()?),
        "received" => RoomEventKind::Received(receipt()?),
        _ => return Err(ValueRow::wrong(0, "an unknown kind of event")),
    };
    Ok(RoomEvent { id, room: place, what })
}

/// Returns the statements that insert an event and apply its change to the room.
pub(crate) fn insert(event: &RoomEvent) -> Vec<Ask> {
    let room = event.room;
    match &event.what {
        // The message's row is the event.
        RoomEventKind::Posted { .. } => Vec::new(),
        RoomEventKind::Edited { posted, .. } => {
            let message = &posted.message;
            let edited = insert_row(event, "edited", posted.sender.key, message.id.0, "");
            let words = search::renew_message(message);
            let edit = [messages::edit(message), edits::note(room, message.id), edited];
            edit.into_iter().chain(words).collect()
        }
        RoomEventKind::Deleted { by, messages, is_hard } => {
            let kind = if *is_hard { "erased" } else { "deleted" };
            // Unique ids contain no line breaks.
            let messages: Vec<_> = messages.iter().map(UniqueId::as_str).collect();
            vec![insert_row(event, kind, by.key, 0, &messages.join("\n"))]
        }
        RoomEventKind::Cleared { by, number, .. } => vec![
            participants::set_cleared(room, by.key, *number),
            insert_row(event, "cleared", by.key, *number as i64, ""),
        ],
        RoomEventKind::Received(receipt) => vec![received(event, receipt)],
        RoomEventKind::Read(receipt) => {
            let read = participants::set_read(room, receipt.by.key, receipt.number, event.id.0);
            vec![read, received(event, receipt)]
        }
    }
}

/// Deletes events before this id.
pub(crate) fn purge(before: EventId) -> Vec<Ask> {
    vec![Ask::new(&FORGET_EVENTS, values![before.0])]
}

fn received(event: &RoomEvent, receipt: &Receipt) -> Ask {
    participants::set_received(event.room, receipt.by.key, receipt.number, event.id.0)
}

fn insert_row(event: &RoomEvent, kind: &str, actor: UserKey, message: i64, subject: &str) -> Ask {
    let row = values![event.room.0, event.id.0, kind, actor.0, message, subject];
    Ask::new(&INSERT_EVENT, row)
}

impl Store {
    /// Returns events after this id in the user's rooms, ordered by id: at most `size`, and about
    /// as many bytes as one read may return. Messages that are deleted or that the user cleared are
    /// left out, and only the newest receipt of each participant in a room is included.
    pub async fn events_after(
        &self,
        user: UserKey,
        after: EventId,
        size: usize,
    ) -> Read<RoomEventPage> {
        self.happened_after(user, after, size, true).await
    }

    /// Returns up to `size` events after this id in the user's rooms, without new messages.
    pub async fn changes_after(
        &self,
        user: UserKey,
        after: EventId,
        size: usize,
    ) -> Read<Vec<RoomEvent>> {
        let mut found: Vec<RoomEvent> = Vec::new();
        loop {
            let after = found.last().map_or(after, |event| event.id);
            let more = self.happened_after(user, after, size - found.len(), false).await?;
            let is_last = !more.has_more || more.events.is_empty();
            found.extend(more.events);
            if is_last || found.len() >= size {
                return Ok(found);
            }
        }
    }

    async fn happened_after(
        &self,
        user: UserKey,
        after: EventId,
        size: usize,
        has_messages: bool,
    ) -> Read<RoomEventPage> {
        match self {
            Self::Sqlite(engine) => {
                engine
                    .read_long(move |reads| reads.events_after(user, after, size, has_messages))
                    .await
            }
            Self::Postgres(engine) => engine.events_after(user, after, size, has_messages).await,
        }
    }

    /// Returns at most `size` posted and edited messages of a room after this id, ordered by id,
    /// for clients that follow a public room without being in it.
    pub async fn channel_events_after(
        &self,
        room: RoomId,
        after: EventId,
        size: usize,
    ) -> Read<RoomEventPage> {
        let ask = Ask::new(&EDITED_AFTER, values![room.0, after.0, size as i64]);
        let mut events = self.query_now(ask, row).await?;
        let posted = match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.events_in(room, after, size))?,
            Self::Postgres(engine) => engine.events_in(room, after, size).await?,
        };
        // Leave events after the last message that was read to the next page.
        let end = posted.events.last().filter(|_| posted.has_more).map(|last| last.id);
        events.retain(|event| end.is_none_or(|end| event.id <= end));
        events.extend(posted.events);
        events.sort_by_key(|event| event.id);
        let has_more = posted.has_more || events.len() >= size;
        events.truncate(size);
        Ok(RoomEventPage { events, has_more })
    }

    /// Returns one event by room and id: a message, a change, or a receipt that is still the newest
    /// one of its participant. `None` for deleted messages and purged events.
    pub async fn event(&self, room: RoomId, id: EventId) -> Read<Option<RoomEvent>> {
        for text in [&SAID_AT, &HAPPENED_AT] {
            let ask = Ask::new(text, values![room.0, id.0]);
            if let Some(found) = self.asked(ask, row).await?.pop() {
                return Ok(Some(found));
            }
        }
        match self {
            Self::Sqlite(engine) => engine.read_long(move |reads| reads.receipt_at(room, id)).await,
            Self::Postgres(engine) => engine.receipt_at(room, id).await,
        }
    }

    /// Returns the newest written id of each node.
    pub async fn newest_events(&self) -> Read<NewestEvents> {
        match self {
            Self::Sqlite(_) => {
                let ask = Ask::new(&SQLITE_NEWEST_EVENT, Vec::new());
                let newest = self.asked(ask, |row| row.number(0).map(EventId)).await?;
                let of_nodes = newest.into_iter().map(|id| (id.node(), id)).collect();
                Ok(NewestEvents { of_nodes, now: None })
            }
            Self::Postgres(_) => {
                let ask = Ask::new(&POSTGRES_NEWEST_EVENTS, Vec::new());
                let read =
                    |row: &ValueRow| Ok((row.number(1)?, EventId(row.number(0)?), row.time(2)?));
                let rows = self.query_now(ask, read).await?;
                let now = rows.first().map(|row| row.2);
                Ok(NewestEvents {
                    of_nodes: rows.into_iter().map(|(node, id, _)| (node, id)).collect(),
                    now,
                })
            }
        }
    }

    /// Deletes some events before this id; their messages remain. Callers repeat the call while it
    /// returns more than 0.
    pub async fn purge_events(&self, before: EventId) -> Read<usize> {
        let some = values![before.0, limits::PURGED_PER_COMMIT as i64];
        let oldest = self.asked(Ask::new(&OLDEST_EVENTS, some), |row| row.number(0)).await?;
        let Some(last) = oldest.last().copied() else { return Ok(0) };
        let rule = move |_: &Facts, _: &Stamp<'_>| Ok(purging::purge_events(EventId(last)));
        // The change affects all apps and needs no facts, so the app id is not used.
        match self.decide(AppId(0), Question::default(), rule).await {
            Ok(()) => Ok(oldest.len()),
            Err(WriteError::Failed(error)) => Err(error),
            Err(WriteError::Refused(refusal)) => {
                Err(StoreError::while_doing("purging events")(refusal.to_string()))
            }
        }
    }
}
