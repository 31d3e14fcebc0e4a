//! Lists and counts of customers' rooms by status, agent or tag.

use confab_domain::channels::channel::ChannelKind;
use confab_domain::ids::{AgentId, AppId, ChannelId, ID_END, RoomId};
use confab_domain::limits;
use confab_domain::people::user::UserId;
use confab_domain::support::conversations::customer_room::CustomerRoom;
use confab_domain::time::Timestamp;

use super::customer_rooms::{self, customer_room_columns};
use crate::error::Read;
use crate::sql::{
    Ask, Row, SqlValue, Statement, ValueRow, ids_as_text, ids_in, on_shards, statements, values,
};
use crate::store::Store;

/// An entry in a list of customers' rooms.
pub struct ListedRoom {
    /// The room with its customer and newest session.
    pub customer_room: CustomerRoom,
    /// Room name.
    pub name: String,
    /// URL of the room's picture; empty without one.
    pub avatar_url: String,
    /// Id of the room's customer.
    pub customer: UserId,
    /// The customer's display name.
    pub customer_name: String,
    /// Version of the data that inboxes show of the room; rises with every change.
    pub version: i64,
    /// Version of the room's data that inboxes show; rises with every change of the data.
    pub channel_kind: ChannelKind,
    /// Display name of the customer's channel.
    pub channel_name: String,
    /// Name of the agent that served the newest session last.
    pub served_by_name: Option<String>,
    /// Whether the customer is blocked from writing.
    pub is_blocked: bool,
}

/// Filter of customers' rooms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhichRooms {
    /// All rooms of the app.
    All,
    /// Rooms whose newest session is resolved (true) or open (false).
    Resolved(bool),
    /// Rooms whose customers wait for an agent.
    Unserved,
    /// Rooms that an agent serves.
    Served,
    /// Rooms that this agent serves.
    ServedBy(AgentId),
    /// Rooms that this agent served in the past and whose newest session is resolved.
    OnceServedBy(AgentId),
    /// Rooms that this agent served in the past, resolved or not.
    LeftBy(AgentId),
    /// Rooms with a tag of this name.
    Tagged(String),
}

impl WhichRooms {
    /// Returns the statements for rooms after a position, for rooms before it, and for their count.
    /// For agents that served very many rooms, rooms are read along the index of all rooms of the
    /// app, which is already in order; for other agents, they are sorted.
    fn statements(&self, is_of_very_many: bool) -> [&'static Statement; 3] {
        match self {
            Self::OnceServedBy(_) if is_of_very_many => [
                &ROOMS_ONCE_SERVED_OF_MANY,
                &EARLIER_ROOMS_ONCE_SERVED_OF_MANY,
                &COUNT_ROOMS_ONCE_SERVED,
            ],
            Self::LeftBy(_) if is_of_very_many => {
                [&ROOMS_LEFT_OF_MANY, &EARLIER_ROOMS_LEFT_OF_MANY, &COUNT_ROOMS_LEFT]
            }
            Self::All => [&CUSTOMER_ROOMS, &EARLIER_ROOMS, &COUNT_ROOMS],
            Self::Resolved(_) => [&ROOMS_BY_END, &EARLIER_ROOMS_BY_END, &COUNT_ROOMS_BY_END],
            Self::Unserved => [&UNSERVED_ROOMS, &EARLIER_UNSERVED_ROOMS, &COUNT_UNSERVED_ROOMS],
            Self::Served => [&SERVED_ROOMS, &EARLIER_SERVED_ROOMS, &COUNT_SERVED_ROOMS],
            Self::ServedBy(_) => {
                [&ROOMS_SERVED_BY, &EARLIER_ROOMS_SERVED_BY, &COUNT_ROOMS_SERVED_BY]
            }
            Self::OnceServedBy(_) => {
                [&ROOMS_ONCE_SERVED, &EARLIER_ROOMS_ONCE_SERVED, &COUNT_ROOMS_ONCE_SERVED]
            }
            Self::LeftBy(_) => [&ROOMS_LEFT, &EARLIER_ROOMS_LEFT, &COUNT_ROOMS_LEFT],
            Self::Tagged(_) => [&TAGGED_ROOMS, &EARLIER_TAGGED_ROOMS, &COUNT_TAGGED_ROOMS],
        }
    }

    /// Appends the value of the filter, such as the agent or the tag, if it has one.
    fn values(&self, mut values: Vec<SqlValue>) -> Vec<SqlValue> {
        values.extend(match self {
            Self::Resolved(is_resolved) => Some(SqlValue::from(*is_resolved)),
            Self::ServedBy(agent) | Self::OnceServedBy(agent) | Self::LeftBy(agent) => {
                Some(agent.0.into())
            }
            Self::Tagged(tag) => Some(tag.into()),
            Self::All | Self::Unserved | Self::Served => None,
        });
        values
    }
}

/// Number of customers of one channel that wait for an agent, separately for those that a bot
/// answers and the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingCount {
    pub channel: ChannelId,
    /// Whether a bot answers the counted customers while they wait.
    pub is_handled_by_bot: bool,
    pub count: usize,
    /// Start of the longest wait among the counted customers.
    pub longest_since: Timestamp,
}

/// Position in a list of rooms, given by the time of the last change and the room's id, and the
/// direction in which to read from it.
#[derive(Debug, Clone, Copy)]
pub enum Stretch {
    /// Reads the rooms after the position, nearest first.
    After(Timestamp, RoomId),
    /// Reads the rooms before the position, nearest first.
    Before(Timestamp, RoomId),
}

/// Columns of a [`ListedRoom`].
macro_rules! listed_room {
    () => {
        concat!(
            customer_room_columns!(),
            ", r.name, r.avatar_url, u.user_id, u.username, c.version, ch.kind, ch.name, sb.name, \
             u.is_active"
        )
    };
}

/// Joins that add the columns of `listed_room` to a customer's room `c`. The session is joined to
/// `rooms`, which is on the same shard on Citus; the subquery `c` is on no shard.
macro_rules! listed_beside {
    () => {
        listed_beside!("")
    };
    ($session:expr) => {
        concat!(
            " JOIN rooms r ON r.id = c.room JOIN users u ON u.id = c.customer \
             JOIN channels ch ON ch.id = c.channel \
             LEFT JOIN sessions s ON s.room = r.id AND s.id = c.session",
            $session,
            " LEFT JOIN dashboard_users sb ON sb.id = s.served_by"
        )
    };
}

/// At most `$4` customers' rooms that match a filter, last changed first, after the position given
/// by the time of the last change (`$2`) and the room's id (`$3`). A subquery limits the rooms
/// before the joins.
macro_rules! listed_rooms {
    ($from:literal, $which:literal) => {
        listed_rooms!($from, $which, "<", "c.updated_at DESC, c.room DESC")
    };
    ($from:literal, $which:literal, $beyond:literal, $order:literal) => {
        concat!(
            "SELECT ",
            listed_room!(),
            " FROM (SELECT c.* FROM ",
            $from,
            " WHERE ",
            $which,
            " AND (c.updated_at, c.room) ",
            $beyond,
            " ($2, $3) ORDER BY ",
            $order,
            " LIMIT $4) c",
            listed_beside!(),
            " ORDER BY ",
            $order
        )
    };
}

/// Like `listed_rooms`, but in reverse: rooms before the position, nearest first.
macro_rules! earlier_rooms {
    ($from:literal, $which:literal) => {
        listed_rooms!($from, $which, ">", "c.updated_at, c.room")
    };
}

/// Number of rooms after the position that match a filter, counted up to `$4`.
macro_rules! counted_rooms {
    ($from:literal, $which:literal) => {
        concat!(
            "SELECT count(*) FROM (SELECT c.room FROM ",
            $from,
            " WHERE ",
            $which,
            " AND (c.updated_at, c.room) < ($2, $3) LIMIT $4) c"
        )
    };
}

macro_rules! all_rooms {
    ($way:ident) => {
        $way!("customer_rooms c", "c.app = $1")
    };
}

macro_rules! rooms_by_end {
    ($way:ident) => {
        $way!("customer_rooms c", "c.app = $1 AND c.is_resolved = $5")
    };
}

macro_rules! unserved_rooms {
    ($way:ident) => {
        $way!("customer_rooms c", "c.app = $1 AND c.waits_since IS NOT NULL")
    };
}

macro_rules! served_rooms {
    ($way:ident) => {
        $way!(
            "customer_rooms c",
            "c.app = $1 AND c.is_resolved = 0 \
             AND c.waits_since IS NULL AND c.session IS NOT NULL"
        )
    };
}

// `+ 0` keeps the planner off the index on `app`: the agent or tag has fewer rooms.
macro_rules! rooms_served_by {
    ($way:ident) => {
        $way!(
            "room_agents a JOIN customer_rooms c ON c.room = a.room",
            "c.app + 0 = $1 AND a.agent = $5"
        )
    };
}

macro_rules! rooms_once_served {
    ($way:ident) => {
        $way!(
            "served_rooms a JOIN customer_rooms c ON c.room = a.room",
            "c.app + 0 = $1 AND c.is_resolved = 1 AND a.agent = $5"
        )
    };
}

macro_rules! rooms_left {
    ($way:ident) => {
        $way!(
            "served_rooms a JOIN customer_rooms c ON c.room = a.room",
            "c.app + 0 = $1 AND a.agent = $5"
        )
    };
}

// The two kinds above along the index of the app's rooms, which is in order, so nothing is sorted.
macro_rules! rooms_once_served_of_many {
    ($way:ident) => {
        $way!(
            "customer_rooms c",
            "c.app = $1 AND c.is_resolved = 1 AND EXISTS (SELECT 1 FROM served_rooms a \
             WHERE a.room = c.room AND a.agent = $5)"
        )
    };
}

macro_rules! rooms_left_of_many {
    ($way:ident) => {
        $way!(
            "customer_rooms c",
            "c.app = $1 AND EXISTS (SELECT 1 FROM served_rooms a \
             WHERE a.room = c.room AND a.agent = $5)"
        )
    };
}

macro_rules! tagged_rooms {
    ($way:ident) => {
        $way!(
            "room_tags t JOIN customer_rooms c ON c.room = t.room",
            "c.app + 0 = $1 AND t.name = $5"
        )
    };
}

/// Rooms by id. The ids are a single text, which SQLite reads as JSON and PostgreSQL as a list.
macro_rules! listed_rooms_of {
    ($rooms:expr) => {
        concat!(
            "SELECT ",
            listed_room!(),
            " FROM customer_rooms c",
            listed_beside!(on_shards!(concat!(" AND s.room ", $rooms))),
            " WHERE c.room ",
            $rooms,
            on_shards!(concat!(" AND r.id ", $rooms)),
            " AND c.app = $2"
        )
    };
}

statements! {
    CUSTOMER_ROOMS = all_rooms!(listed_rooms);
    EARLIER_ROOMS = all_rooms!(earlier_rooms);
    COUNT_ROOMS = all_rooms!(counted_rooms);
    ROOMS_BY_END = rooms_by_end!(listed_rooms);
    EARLIER_ROOMS_BY_END = rooms_by_end!(earlier_rooms);
    COUNT_ROOMS_BY_END = rooms_by_end!(counted_rooms);
    UNSERVED_ROOMS = unserved_rooms!(listed_rooms);
    EARLIER_UNSERVED_ROOMS = unserved_rooms!(earlier_rooms);
    COUNT_UNSERVED_ROOMS = unserved_rooms!(counted_rooms);
    SERVED_ROOMS = served_rooms!(listed_rooms);
    EARLIER_SERVED_ROOMS = served_rooms!(earlier_rooms);
    COUNT_SERVED_ROOMS = served_rooms!(counted_rooms);
    ROOMS_SERVED_BY = rooms_served_by!(listed_rooms);
    EARLIER_ROOMS_SERVED_BY = rooms_served_by!(earlier_rooms);
    COUNT_ROOMS_SERVED_BY = rooms_served_by!(counted_rooms);
    ROOMS_ONCE_SERVED = rooms_once_served!(listed_rooms);
    EARLIER_ROOMS_ONCE_SERVED = rooms_once_served!(earlier_rooms);
    // Few rooms are open: subtract them instead of checking all others.
    COUNT_ROOMS_ONCE_SERVED = "SELECT served.count - open.count FROM (SELECT count(*) AS count \
        FROM (SELECT room FROM served_rooms WHERE agent = $5 AND EXISTS (SELECT 1 \
        FROM dashboard_users d WHERE d.id = $5 AND d.app = $1) LIMIT $4) a) served, \
        (SELECT count(*) AS count FROM customer_rooms c WHERE c.app = $1 AND c.is_resolved = 0 \
        AND (c.updated_at, c.room) < ($2, $3) AND EXISTS (SELECT 1 FROM served_rooms a \
        WHERE a.room = c.room AND a.agent = $5)) open";
    ROOMS_ONCE_SERVED_OF_MANY = rooms_once_served_of_many!(listed_rooms);
    EARLIER_ROOMS_ONCE_SERVED_OF_MANY = rooms_once_served_of_many!(earlier_rooms);
    ROOMS_LEFT = rooms_left!(listed_rooms);
    EARLIER_ROOMS_LEFT = rooms_left!(earlier_rooms);
    COUNT_ROOMS_LEFT = rooms_left!(counted_rooms);
    ROOMS_LEFT_OF_MANY = rooms_left_of_many!(listed_rooms);
    EARLIER_ROOMS_LEFT_OF_MANY = rooms_left_of_many!(earlier_rooms);
    COUNT_SERVED_ONCE = "SELECT count(*) FROM (SELECT room FROM served_rooms WHERE agent = $1 \
        LIMIT $2) a";
    TAGGED_ROOMS = tagged_rooms!(listed_rooms);
    EARLIER_TAGGED_ROOMS = tagged_rooms!(earlier_rooms);
    COUNT_TAGGED_ROOMS = tagged_rooms!(counted_rooms);
    LISTED_ROOM = concat!("SELECT ", listed_room!(), " FROM customer_rooms c", listed_beside!(), " \
        WHERE c.room = $1 AND c.app = $2");
    SQLITE_LISTED_ROOMS = listed_rooms_of!("IN (SELECT value FROM json_each($1))");
    POSTGRES_LISTED_ROOMS = listed_rooms_of!(concat!("= ANY (", ids_in!("$1"), ")"));
    WAITING_ROOMS = concat!("SELECT ", listed_room!(), " FROM (SELECT c.* FROM customer_rooms c \
        WHERE c.app = $1 AND c.waits_since IS NOT NULL AND (c.waits_since, c.room) > ($2, $3) \
        ORDER BY c.waits_since, c.room LIMIT $4) c", listed_beside!(), " \
        ORDER BY c.waits_since, c.room");
    COUNT_WAITING = "SELECT c.channel, c.is_handled_by_bot, count(*), min(c.waits_since) \
        FROM (SELECT channel, is_handled_by_bot, waits_since FROM customer_rooms \
        WHERE app = $1 AND waits_since IS NOT NULL ORDER BY waits_since, room LIMIT $2) c \
        GROUP BY c.channel, c.is_handled_by_bot";
    COUNT_OPEN = "SELECT c.channel, count(*) FROM (SELECT channel FROM customer_rooms \
        WHERE app = $1 AND is_resolved = 0 ORDER BY updated_at DESC, room DESC LIMIT $2) c \
        GROUP BY c.channel";
}

fn row(row: &ValueRow) -> Read<ListedRoom> {
    let column = customer_rooms::COLUMNS;
    Ok(ListedRoom {
        customer_room: customer_rooms::row(row)?,
        name: row.text(column)?,
        avatar_url: row.text(column + 1)?,
        customer: UserId::from_stored(row.text(column + 2)?),
        customer_name: row.text(column + 3)?,
        version: row.number(column + 4)?,
        channel_kind: row.known(column + 5, "kind of channel", ChannelKind::parse)?,
        channel_name: row.text(column + 6)?,
        served_by_name: row.maybe_text(column + 7)?,
        is_blocked: !row.flag(column + 8)?,
    })
}

impl Store {
    /// Returns customers' rooms that match a filter. In the full list, the last changed room is
    /// first; the returned part begins at the given position and leads away from it.
    pub async fn customer_rooms(
        &self,
        app: AppId,
        which: &WhichRooms,
        stretch: Stretch,
        size: usize,
    ) -> Read<Vec<ListedRoom>> {
        let [after, before, _] = which.statements(self.is_of_very_many(which).await?);
        let (sql, (time, room)) = match stretch {
            Stretch::After(time, room) => (after, (time, room)),
            Stretch::Before(time, room) => (before, (time, room)),
        };
        let values = which.values(values![app.0, time.0, room.0, size as i64]);
        self.asked(Ask::new(sql, values), row).await
    }

    /// Whether the filter names an agent that served too many rooms to sort them for each page.
    async fn is_of_very_many(&self, which: &WhichRooms) -> Read<bool> {
        let (WhichRooms::OnceServedBy(agent) | WhichRooms::LeftBy(agent)) = which else {
            return Ok(false);
        };
        let max = limits::SERVED_ROOMS_SORTED_MAX as i64;
        let counted = Ask::new(&COUNT_SERVED_ONCE, values![agent.0, max + 1]);
        let counted = self.asked(counted, |row| row.number(0)).await?;
        Ok(counted.first().is_some_and(|count| *count > max))
    }

    /// Counts the customers' rooms that match a filter, up to `max`.
    pub async fn count_rooms(&self, app: AppId, which: &WhichRooms, max: usize) -> Read<usize> {
        let [_, _, sql] = which.statements(false);
        let values = which.values(values![app.0, i64::MAX, ID_END, max as i64]);
        let counted = self.asked(Ask::new(sql, values), |row| row.number(0)).await?;
        Ok(counted.first().map_or(0, |count| usize::try_from(*count).unwrap_or(0)))
    }

    /// Returns rooms of waiting customers after this position, longest wait first.
    pub async fn waiting_rooms(
        &self,
        app: AppId,
        after: (Timestamp, RoomId),
        size: usize,
    ) -> Read<Vec<ListedRoom>> {
        let values = values![app.0, after.0, after.1.0, size as i64];
        self.asked(Ask::new(&WAITING_ROOMS, values), row).await
    }

    /// Counts waiting customers by channel and by whether a bot answers. At most `max` are counted.
    pub async fn count_waiting(&self, app: AppId, max: usize) -> Read<Vec<WaitingCount>> {
        let ask = Ask::new(&COUNT_WAITING, values![app.0, max as i64]);
        let read = |row: &ValueRow| {
            Ok(WaitingCount {
                channel: ChannelId(row.number(0)?),
                is_handled_by_bot: row.flag(1)?,
                count: row.number(2)? as usize,
                longest_since: row.time(3)?,
            })
        };
        self.asked(ask, read).await
    }

    /// Counts unresolved conversations by channel, considering only the newest `max`.
    pub async fn count_open(&self, app: AppId, max: usize) -> Read<Vec<(ChannelId, usize)>> {
        let ask = Ask::new(&COUNT_OPEN, values![app.0, max as i64]);
        let read = |row: &ValueRow| Ok((ChannelId(row.number(0)?), row.number(1)? as usize));
        self.asked(ask, read).await
    }

    /// Returns a room of the app if it is a customer's room.
    pub async fn customer_room(&self, app: AppId, room: RoomId) -> Read<Option<ListedRoom>> {
        let ask = Ask::new(&LISTED_ROOM, values![room.0, app.0]);
        Ok(self.asked(ask, row).await?.pop())
    }

    /// Returns those of the given rooms that are customers' rooms of the app, in no particular
    /// order.
    pub async fn listed_rooms(&self, app: AppId, rooms: &[RoomId]) -> Read<Vec<ListedRoom>> {
        let sql = match self {
            Self::Sqlite(_) => &SQLITE_LISTED_ROOMS,
            Self::Postgres(_) => &POSTGRES_LISTED_ROOMS,
        };
        let values = values![ids_as_text(rooms.iter().map(|room| room.0)), app.0];
        self.asked(Ask::new(sql, values), row).await
    }
}
