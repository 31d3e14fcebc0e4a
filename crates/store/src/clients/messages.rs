//! What happened in a user's rooms: what clients catch up with after a gap.
//!
//! SQLite keeps where messages are partly in memory (D-0016), so there it is put together by
//! [`crate::sqlite`]; on PostgreSQL each read is one statement, which sees one moment.

use std::sync::Arc;

use confab_domain::decision::change::{Change, MessageChange};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{AppId, EventId, MessageId, RoomId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::messages::message::{Message, Said};
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::room_event::{Receipt, RoomEvent, What};
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::User;
use confab_domain::rooms::room::{Room, RoomKind, RoomUniqueId};
use confab_domain::time::Timestamp;

use super::statements as sql;
use crate::error::{StoreError, WriteError};
use crate::omnichannel::rows;
use crate::pages::{MessageKey, PageEntry};
use crate::sql::{Ask, Row, ValueRow, values};
use crate::store::Store;

type Read<T> = Result<T, StoreError>;

impl Store {
    /// What happened after this id in the rooms that the user is in, in the order of ids, at most
    /// `size` and about as many bytes as are read at a time. Messages that are deleted or that the
    /// user cleared are left out; of receipts there is the newest of each person and room.
    pub async fn events_after(&self, user: UserKey, after: EventId, size: usize) -> Read<Events> {
        self.happened_after(user, after, size, true).await
    }

    /// The same without messages: what happened to them. All of it, up to `size`.
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
    ) -> Read<Events> {
        match self {
            Self::Sqlite(engine) => {
                engine
                    .read_long(move |reads| reads.events_after(user, after, size, has_messages))
                    .await
            }
            Self::Postgres(engine) => {
                let bytes = limits::REALTIME_MISSED_READ_BYTES as i64;
                let values = values![user.0, after.0, size as i64, has_messages, bytes];
                let found = engine.asked_now(&Ask::new(&sql::POSTGRES_HAPPENED, values)).await?;
                let total = found.first().map_or(Ok(0), |row| row.number(TOTAL))?;
                let has_more = total > found.len() as i64 || total >= size as i64;
                let events = found.iter().map(event).collect::<Read<Vec<_>>>()?;
                Ok(Events { events, has_more })
            }
        }
    }

    /// The messages after this one in the rooms that the user is in, the oldest first, at most
    /// `size`; without those that are deleted or that the user cleared.
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
            Self::Postgres(engine) => {
                let values = values![user.0, after.0, size as i64];
                let found = engine.asked_now(&Ask::new(&sql::POSTGRES_KEYS_AFTER, values)).await?;
                engine.first_messages(&keys(&found)?).await
            }
        }
    }

    /// The messages of a room after this one and after this number, the oldest first, at most
    /// `size`, without deleted ones.
    pub async fn following(
        &self,
        room: RoomId,
        after: MessageId,
        number: u64,
        size: usize,
    ) -> Read<Vec<PageEntry>> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.following(room, after, number, size)),
            Self::Postgres(engine) => {
                let values = values![room.0, after.0, number as i64, size as i64];
                let text = &sql::POSTGRES_KEYS_FOLLOWING;
                let found = engine.asked_now(&Ask::new(text, values)).await?;
                engine.first_messages(&keys(&found)?).await
            }
        }
    }

    /// What was said in a room after this id, and what reads differently since, in the order of
    /// ids, at most `size`: what those are shown who follow a channel without being in it.
    pub async fn channel_events_after(
        &self,
        room: RoomId,
        after: EventId,
        size: usize,
    ) -> Read<Events> {
        let ask = Ask::new(&sql::EDITED_AFTER, values![room.0, after.0, size as i64]);
        let mut events = self.asked_now(ask, event).await?;
        let said = match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.said_in(room, after, size))?,
            Self::Postgres(engine) => {
                let values = values![room.0, after.0, 0_i64, size as i64];
                let said = engine.asked_now(&Ask::new(&sql::POSTGRES_FOLLOWING, values)).await?;
                let events = said.iter().map(event).collect::<Read<Vec<_>>>()?;
                Events { has_more: events.len() >= size, events }
            }
        };
        // What comes after the last one said that was read is for another time.
        let end = said.events.last().filter(|_| said.has_more).map(|last| last.id);
        events.retain(|event| end.is_none_or(|end| event.id <= end));
        events.extend(said.events);
        events.sort_by_key(|event| event.id);
        let has_more = said.has_more || events.len() >= size;
        events.truncate(size);
        Ok(Events { events, has_more })
    }

    /// Up to where a participant cleared a room; `None` for somebody who is not in it.
    pub async fn cleared_number(&self, room: RoomId, user: UserKey) -> Read<Option<u64>> {
        let ask = Ask::new(&sql::PARTICIPATION, values![room.0, user.0]);
        Ok(self.asked_now(ask, |row| row.number(2)).await?.pop().map(|number| number as u64))
    }

    /// How far at most `size` participants of a room are.
    pub async fn marks(&self, room: RoomId, size: usize) -> Read<Vec<Mark>> {
        let ask = Ask::new(&sql::MARKS, values![room.0, size as i64]);
        let mark = |row: &ValueRow| mark(UserKey(row.number(0)?), row, 1);
        let mut marks = self.asked_now(ask, mark).await?;
        marks.iter_mut().for_each(|mark| self.add_own_posts(room, mark));
        Ok(marks)
    }

    /// Who is in a room, and how far they are.
    pub async fn marked_people(&self, room: RoomId, size: usize) -> Read<Vec<(User, Mark)>> {
        let ask = Ask::new(&sql::MARKED_PEOPLE, values![room.0, size as i64]);
        let read = |row: &ValueRow| {
            let user = rows::user(row)?;
            let mark = mark(user.key, row, 10)?;
            Ok((user, mark))
        };
        let mut people = self.asked(ask, read).await?;
        people.iter_mut().for_each(|(_, mark)| self.add_own_posts(room, mark));
        Ok(people)
    }

    /// Where a message is, its number there and who said it, if it is in a room that the user is
    /// in and did not clear since.
    pub async fn place_of_message(
        &self,
        user: UserKey,
        message: MessageId,
    ) -> Read<Option<(RoomId, u64, UserKey)>> {
        let text = match self {
            Self::Sqlite(_) => &sql::SQLITE_PLACE_OF_MESSAGE,
            Self::Postgres(_) => &sql::POSTGRES_PLACE_OF_MESSAGE,
        };
        let ask = Ask::new(text, values![user.0, message.0]);
        let read = |row: &ValueRow| {
            Ok((RoomId(row.number(0)?), row.number(1)? as u64, UserKey(row.number(2)?)))
        };
        Ok(self.asked_now(ask, read).await?.pop())
    }

    /// Posting is reading (D-0019); the embedded store writes that behind.
    fn add_own_posts(&self, room: RoomId, mark: &mut Mark) {
        if let Self::Sqlite(engine) = self {
            mark.read_number = mark.read_number.max(engine.own_post(room, mark.user));
        }
        mark.received_number = mark.received_number.max(mark.read_number);
    }

    /// One event by its room and id: a message, what happened to one, or a receipt that is still
    /// the newest of its person. `None` for what is deleted or forgotten.
    pub async fn event(&self, room: RoomId, id: EventId) -> Read<Option<RoomEvent>> {
        for text in [&sql::SAID_AT, &sql::HAPPENED_AT] {
            let ask = Ask::new(text, values![room.0, id.0]);
            if let Some(found) = self.asked(ask, event).await?.pop() {
                return Ok(Some(found));
            }
        }
        match self {
            Self::Sqlite(engine) => engine.read_long(move |reads| reads.receipt_at(room, id)).await,
            Self::Postgres(engine) => {
                let ask = Ask::new(&sql::POSTGRES_RECEIPT_AT, values![room.0, id.0]);
                engine.asked(&ask).await?.first().map(event).transpose()
            }
        }
    }

    /// Forgets some of what happened to messages before this id; the messages stay. To be called
    /// again while it gives more than 0.
    pub async fn forget_events(&self, before: EventId) -> Read<usize> {
        let some = values![before.0, limits::FORGOTTEN_PER_COMMIT as i64];
        let oldest = self.asked(Ask::new(&sql::OLDEST_EVENTS, some), |row| row.number(0)).await?;
        let Some(last) = oldest.last().copied() else { return Ok(0) };
        let count = oldest.len();
        let rule = move |_: &Facts, _: &Stamp<'_>| {
            let changes =
                vec![Change::Message(MessageChange::ForgetEvents { before: EventId(last + 1) })];
            Ok(Decision { changes, outcome: count })
        };
        // Of all apps at once: nothing is asked, so no app is looked at.
        match self.decide(AppId(0), Question::default(), rule).await {
            Ok(count) => Ok(count),
            Err(WriteError::Failed(error)) => Err(error),
            Err(WriteError::Refused(refusal)) => {
                Err(StoreError::while_doing("forgetting events")(refusal.to_string()))
            }
        }
    }
}

fn keys(rows: &[ValueRow]) -> Read<Vec<MessageKey>> {
    let key = |row: &ValueRow| {
        let (room, id) = (RoomId(row.number(0)?), MessageId(row.number(1)?));
        Ok(MessageKey { room, id, number: row.number(2)? as u64 })
    };
    rows.iter().map(key).collect()
}

/// What happened.
#[derive(Debug, Clone, Default)]
pub struct Events {
    /// In the order of ids.
    pub events: Vec<RoomEvent>,
    /// There may be more after the last of them.
    pub has_more: bool,
}

/// How far a participant of a room is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    pub user: UserKey,
    /// Everything up to here is read.
    pub read_number: u64,
    /// Everything up to here arrived, what is read included.
    pub received_number: u64,
}

fn mark(user: UserKey, row: &ValueRow, first: usize) -> Read<Mark> {
    let number = |column| row.number(column).map(|number| number as u64);
    Ok(Mark { user, read_number: number(first)?, received_number: number(first + 1)? })
}

/// Where the columns of a room, of who did it and of a message begin in the rows of events.
pub(crate) const ROOM: usize = 3;
const PERSON: usize = ROOM + 11;
const MESSAGE: usize = PERSON + 10;
/// How many rows there are in all, where a part of them is given: after the number that a room was
/// cleared up to, the row's weight, and what comes before it.
const TOTAL: usize = MESSAGE + 15;

/// The row of an event: its kind, its integer and its subject, then where, who, and the message.
pub(crate) fn event(row: &ValueRow) -> Read<RoomEvent> {
    let (kind, id, by) = (row.text(0)?, EventId(row.number(1)?), person(row)?);
    let room = Arc::new(room(row, ROOM)?);
    let said = || {
        let message = message(row, MESSAGE)?;
        Ok::<_, StoreError>(Arc::new(Said { message, sender: by.clone() }))
    };
    let receipt = || {
        let message = message(row, MESSAGE)?;
        let (id, unique_id, number) = (message.id, message.unique_id(), message.number);
        Ok::<_, StoreError>(Receipt { by: by.clone(), message: id, unique_id, number })
    };
    let place = room.id;
    let what = match kind.as_str() {
        "said" => What::Said { said: said()?, room },
        "edited" => What::Edited { said: said()?, room },
        "deleted" | "erased" => {
            let subject = row.text(2)?;
            let messages = subject.lines().map(|it| UniqueId::from_stored(it.to_owned()));
            What::Deleted { by, messages: messages.collect(), is_hard: kind == "erased" }
        }
        // The subject of this one is a number.
        "cleared" => What::Cleared { by, number: row.number(MESSAGE + 12)? as u64, room },
        "read" => What::Read(receipt()?),
        "received" => What::Received(receipt()?),
        _ => return Err(unknown("kind of event")),
    };
    Ok(RoomEvent { id, room: place, what })
}

fn person(row: &ValueRow) -> Read<Arc<User>> {
    let columns = row.0.get(PERSON..MESSAGE).unwrap_or_default();
    rows::user(&ValueRow(columns.to_vec())).map(Arc::new)
}

/// The columns of a room from this one on.
pub(crate) fn room(row: &ValueRow, first: usize) -> Read<Room> {
    Ok(Room {
        id: RoomId(row.number(first)?),
        app: AppId(row.number(first + 1)?),
        unique_id: RoomUniqueId::from_trusted(row.text(first + 2)?),
        kind: RoomKind::parse(&row.text(first + 3)?).ok_or_else(|| unknown("room kind"))?,
        name: row.text(first + 4)?,
        avatar_url: row.text(first + 5)?,
        options: row.text(first + 6)?,
        created_at: Timestamp(row.number(first + 7)?),
        updated_at: Timestamp(row.number(first + 8)?),
        customer: row.maybe_number(first + 9)?.map(UserKey),
        audience: row.number(first + 10)?,
    })
}

/// The columns of a message from this one on.
fn message(row: &ValueRow, first: usize) -> Read<Message> {
    Ok(Message {
        id: MessageId(row.number(first)?),
        room: RoomId(row.number(first + 1)?),
        number: row.number(first + 2)? as u64,
        before: row.maybe_number(first + 3)?.map(MessageId),
        sender: UserKey(row.number(first + 4)?),
        kind: MessageKind::parse(&row.text(first + 5)?).ok_or_else(|| unknown("message kind"))?,
        text: row.text(first + 6)?,
        payload: row.maybe_text(first + 7)?.map(JsonText::from_checked),
        extras: row.maybe_text(first + 8)?.map(JsonText::from_checked),
        client_unique_id: row.maybe_text(first + 9)?.map(UniqueId::from_stored),
        posted_at: Timestamp(row.number(first + 10)?),
        is_deleted: row.flag(first + 11)?,
    })
}

fn unknown(what: &str) -> StoreError {
    StoreError::while_doing("reading a row")(format!("unknown {what}"))
}
