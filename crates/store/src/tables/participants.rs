//! Participants of rooms, and the positions up to which they received, read and cleared them.
//!
//! Posting a message marks it as read by its sender (design/message-api). SQLite writes this
//! position with a delay, so its reads include positions that are only in memory.

use confab_domain::ids::{AppId, RoomId, UserKey};
use confab_domain::people::user::{User, UserId};
use confab_domain::rooms::room::RoomRef;
use confab_domain::rooms::room_view::Participant;
use confab_domain::time::Timestamp;

use super::rooms;
use super::users::{self, user_columns};
use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, as_offset, prepared, statements, values};
use crate::store::Store;

prepared! {
    NAMES_IN_ROOM = "SELECT u.user_id FROM participants p JOIN users u ON u.id = p.user_key \
        WHERE p.room = $1 ORDER BY p.user_key LIMIT $2";
    PEOPLE_IN_ROOM = concat!("SELECT ", user_columns!("u."), " FROM participants p \
        JOIN users u ON u.id = p.user_key WHERE p.room = $1 ORDER BY p.user_key LIMIT $2");
    // For the rooms of all decisions of a batch; at most `$2` participants of each.
    POSTGRES_PEOPLE_IN_ROOMS = concat!("SELECT p.room, ", user_columns!("u."), " FROM ( \
        SELECT room, user_key, row_number() OVER (PARTITION BY room ORDER BY user_key) AS place \
        FROM participants WHERE room = ANY ($1)) p JOIN users u ON u.id = p.user_key \
        WHERE p.place <= $2 ORDER BY p.room, p.user_key");
    ADD_PARTICIPANT = "INSERT INTO participants (room, user_key, read_number, joined_at) \
        VALUES ($1, $2, $3, $4) ON CONFLICT (room, user_key) DO NOTHING";
    REMOVE_PARTICIPANT = "DELETE FROM participants WHERE room = $1 AND user_key = $2";
    // Positions only rise. A read message also counts as received.
    SET_RECEIVED = "UPDATE participants SET received_number = $3, received_event = $4 \
        WHERE room = $1 AND user_key = $2 AND received_number < $3";
    SET_READ = "UPDATE participants SET read_number = $3, read_event = $4 \
        WHERE room = $1 AND user_key = $2 AND read_number < $3";
    // Cleared messages count as read, without a read event.
    SET_CLEARED = "UPDATE participants SET cleared_number = $3, \
        read_number = CASE WHEN read_number < $3 THEN $3 ELSE read_number END \
        WHERE room = $1 AND user_key = $2 AND cleared_number < $3";
}

statements! {
    PARTICIPANTS = concat!("SELECT ", user_columns!("u."), " FROM participants p \
        JOIN users u ON u.id = p.user_key WHERE p.room = $1 ORDER BY p.user_key \
        LIMIT $2 OFFSET $3");
    IS_PARTICIPANT = "SELECT room FROM participants WHERE room = $1 AND user_key = $2";
    PARTICIPATION = "SELECT read_number, received_number, cleared_number FROM participants \
        WHERE room = $1 AND user_key = $2";
    // Positions of a room's participants, and their users.
    MARKS = "SELECT user_key, read_number, received_number FROM participants \
        WHERE room = $1 LIMIT $2";
    MARKED_PEOPLE = concat!("SELECT ", user_columns!("u."), ", p.read_number, p.received_number \
        FROM participants p JOIN users u ON u.id = p.user_key WHERE p.room = $1 \
        ORDER BY p.user_key LIMIT $2");
}

/// Positions of a participant in a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadMark {
    pub user: UserKey,
    /// Number of the last message that the participant read.
    pub read_number: u64,
    /// Number of the last message that the participant received; at least `read_number`.
    pub received_number: u64,
}

/// A page of a room's participants.
#[derive(Debug, Clone, Copy)]
pub struct ParticipantListing {
    /// Whether the most recently registered users come first.
    pub is_from_last: bool,
    /// Number of participants to skip.
    pub skipped: u64,
    /// Maximum number of participants to return.
    pub size: usize,
}

impl ParticipantListing {
    /// Returns a listing of the first `size` participants.
    pub(crate) fn first(size: usize) -> Self {
        Self { is_from_last: false, skipped: 0, size }
    }
}

fn mark(user: UserKey, row: &ValueRow, first: usize) -> Read<ReadMark> {
    let number = |column| row.number(column).map(|number| number as u64);
    Ok(ReadMark { user, read_number: number(first)?, received_number: number(first + 1)? })
}

pub(crate) fn add(room: RoomId, user: UserKey, read_number: u64, at: Timestamp) -> Vec<Ask> {
    let values = values![room.0, user.0, read_number as i64, at];
    vec![Ask::new(&ADD_PARTICIPANT, values), rooms::change_audience(room)]
}

pub(crate) fn remove(room: RoomId, user: UserKey) -> Vec<Ask> {
    let remove = Ask::new(&REMOVE_PARTICIPANT, values![room.0, user.0]);
    vec![remove, rooms::change_audience(room)]
}

/// Sets the position up to which a participant received messages, and the event that raised it.
pub(crate) fn set_received(room: RoomId, user: UserKey, number: u64, event: i64) -> Ask {
    Ask::new(&SET_RECEIVED, values![room.0, user.0, number as i64, event])
}

/// Sets the position up to which a participant read messages, and the event that raised it.
pub(crate) fn set_read(room: RoomId, user: UserKey, number: u64, event: i64) -> Ask {
    Ask::new(&SET_READ, values![room.0, user.0, number as i64, event])
}

/// Sets the position up to which a participant cleared the room, which hides earlier messages from
/// them.
pub(crate) fn set_cleared(room: RoomId, user: UserKey, number: u64) -> Ask {
    Ask::new(&SET_CLEARED, values![room.0, user.0, number as i64])
}

impl Store {
    /// Returns a page of the participants of a room in order of registration; `None` if the app has
    /// no such room.
    pub async fn participants(
        &self,
        app: AppId,
        room: &RoomRef,
        skipped: u64,
        size: usize,
    ) -> Read<Option<Vec<User>>> {
        let room = match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.room_id(app, room))?,
            Self::Postgres(engine) => engine.room_id(app, room).await?,
        };
        let Some(room) = room else { return Ok(None) };
        let page = values![room.0, size as i64, as_offset(skipped)];
        self.asked(Ask::new(&PARTICIPANTS, page), users::row).await.map(Some)
    }

    /// Returns participants of a room, each with the positions up to which they read and received
    /// messages.
    pub async fn who_is_in(
        &self,
        room: RoomId,
        which: ParticipantListing,
    ) -> Read<Vec<Participant>> {
        match self {
            Self::Sqlite(engine) => {
                engine.read_long(move |reads| reads.who_is_in(room, which)).await
            }
            Self::Postgres(engine) => engine.who_is_in(room, which).await,
        }
    }

    /// Whether the user is in the room.
    pub async fn is_participant(&self, room: RoomId, user: UserKey) -> Read<bool> {
        let ask = Ask::new(&IS_PARTICIPANT, values![room.0, user.0]);
        Ok(!self.query_now(ask, |_| Ok(())).await?.is_empty())
    }

    /// Returns the number up to which a participant cleared a room; `None` for users who are not in
    /// it.
    pub async fn cleared_number(&self, room: RoomId, user: UserKey) -> Read<Option<u64>> {
        let ask = Ask::new(&PARTICIPATION, values![room.0, user.0]);
        Ok(self.query_now(ask, |row| row.number(2)).await?.pop().map(|number| number as u64))
    }

    /// Returns the read and received positions of at most `size` participants of a room.
    pub async fn marks(&self, room: RoomId, size: usize) -> Read<Vec<ReadMark>> {
        let ask = Ask::new(&MARKS, values![room.0, size as i64]);
        let mark = |row: &ValueRow| mark(UserKey(row.number(0)?), row, 1);
        let mut marks = self.query_now(ask, mark).await?;
        marks.iter_mut().for_each(|mark| self.add_own_posts(room, mark));
        Ok(marks)
    }

    /// Returns at most `size` participants of a room with their read and received positions.
    pub async fn marked_people(&self, room: RoomId, size: usize) -> Read<Vec<(User, ReadMark)>> {
        let ask = Ask::new(&MARKED_PEOPLE, values![room.0, size as i64]);
        let read = |row: &ValueRow| {
            let user = users::row(row)?;
            let mark = mark(user.key, row, users::COLUMNS)?;
            Ok((user, mark))
        };
        let mut people = self.asked(ask, read).await?;
        people.iter_mut().for_each(|(_, mark)| self.add_own_posts(room, mark));
        Ok(people)
    }

    /// Raises the read position to the participant's last own message, if that is not on disk yet.
    fn add_own_posts(&self, room: RoomId, mark: &mut ReadMark) {
        if let Self::Sqlite(engine) = self {
            mark.read_number = mark.read_number.max(engine.own_post(room, mark.user));
        }
        mark.received_number = mark.received_number.max(mark.read_number);
    }

    /// Returns the user's number of unread messages in those of the given rooms that they are in;
    /// `None` if the app has no such user.
    pub async fn unread(
        &self,
        app: AppId,
        user: &UserId,
        rooms: &[RoomRef],
    ) -> Read<Option<Vec<(RoomId, u64)>>> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.unread(app, user, rooms)),
            Self::Postgres(engine) => engine.unread(app, user, rooms).await,
        }
    }

    /// Returns the user's number of unread messages in all rooms.
    pub async fn unread_in_all(&self, user: UserKey) -> Read<u64> {
        match self {
            Self::Sqlite(engine) => engine.read_long(move |reads| reads.unread_in_all(user)).await,
            Self::Postgres(engine) => engine.unread_in_all(user).await,
        }
    }

    /// Returns the number of the user's rooms with unread messages.
    pub async fn unread_rooms(&self, user: UserKey) -> Read<u64> {
        match self {
            Self::Sqlite(engine) => engine.read_long(move |reads| reads.unread_rooms(user)).await,
            Self::Postgres(engine) => engine.unread_rooms(user).await,
        }
    }
}
