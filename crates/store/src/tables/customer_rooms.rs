//! Customers' rooms: customer, channel, start of the wait for an agent, and newest session.

use confab_domain::channels::channel::Channel;
use confab_domain::ids::{AppId, ChannelId, ID_END, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::people::user::{User, UserId};
use confab_domain::support::conversations::customer_room::{BotDuty, CustomerRoom};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event_kind::EventKind;

use super::channels::{self, channel_columns};
use super::sessions;
use super::users::{self, user_columns};
use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, count, ids_as_text, ids_in, prepared, statements, values};
use crate::store::Store;

/// Columns of a customer's room `c` and its newest session `s`.
macro_rules! customer_room_columns {
    () => {
        concat!(
            "c.room, c.app, c.channel, c.customer, c.waits_since, c.is_handled_by_bot, c.extras, \
             c.badge_url, c.created_at, c.updated_at, c.is_left_to_people, c.brand, ",
            $crate::tables::sessions::session_columns!("s.")
        )
    };
}
pub(crate) use customer_room_columns;

/// Number of columns of a customer's room.
pub(crate) const COLUMNS: usize = count(customer_room_columns!());

prepared! {
    CUSTOMER_ROOM = concat!("SELECT ", customer_room_columns!(), " FROM customer_rooms c \
        LEFT JOIN sessions s ON s.room = c.room AND s.id = c.session \
        WHERE c.room = $1 AND c.app = $2");
    CHANNEL_OF_ROOM = concat!("SELECT ", channel_columns!(), " FROM customer_rooms c \
        JOIN channels ch ON ch.id = c.channel WHERE c.room = $1 AND c.app = $2");
    CUSTOMER_OF_ROOM = concat!("SELECT ", user_columns!("u."), " FROM customer_rooms c \
        JOIN users u ON u.id = c.customer WHERE c.room = $1 AND c.app = $2");
    ROOM_OF_CUSTOMER = concat!("SELECT ", customer_room_columns!(), " FROM customer_rooms c \
        JOIN users u ON u.id = c.customer \
        LEFT JOIN sessions s ON s.room = c.room AND s.id = c.session \
        WHERE c.channel = $1 AND u.app = $2 AND u.user_id = $3 AND u.realm = $1 \
        ORDER BY c.room DESC LIMIT 1");
    IS_CUSTOMER = "SELECT c.customer FROM channels ch JOIN customer_rooms c ON c.channel = ch.id \
        WHERE ch.app = $1 AND c.customer = $2 LIMIT 1";
    PUT_CUSTOMER_ROOM = "INSERT INTO customer_rooms (room, app, channel, customer, session, \
        is_resolved, waits_since, is_handled_by_bot, extras, badge_url, created_at, updated_at, \
        is_left_to_people, brand) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) \
        ON CONFLICT (room) DO UPDATE SET session = excluded.session, \
        is_resolved = excluded.is_resolved, waits_since = excluded.waits_since, \
        is_handled_by_bot = excluded.is_handled_by_bot, extras = excluded.extras, \
        badge_url = excluded.badge_url, updated_at = excluded.updated_at, \
        is_left_to_people = excluded.is_left_to_people, brand = excluded.brand, \
        version = customer_rooms.version + 1";
    FORGET_CHANNEL_DATA = "UPDATE customer_rooms SET extras = NULL, badge_url = NULL, \
        version = version + 1 WHERE room = $1";
    // Raises the version after a change of data that inboxes show; no rows for other rooms.
    TOUCH_CUSTOMER_ROOM = "UPDATE customer_rooms SET version = version + 1 WHERE room = $1";
}

/// Rooms of several customers, ordered by customer and room.
macro_rules! rooms_of_contacts {
    ($customers:expr) => {
        concat!(
            "SELECT ",
            customer_room_columns!(),
            " FROM channels ch JOIN customer_rooms c ON c.channel = ch.id \
             LEFT JOIN sessions s ON s.room = c.room AND s.id = c.session \
             WHERE ch.app = $1 AND c.customer ",
            $customers,
            " AND (c.customer, c.room) > ($3, $4) ORDER BY c.customer, c.room LIMIT $5"
        )
    };
}

statements! {
    SQLITE_ROOMS_OF_CONTACTS = rooms_of_contacts!("IN (SELECT value FROM json_each($2))");
    POSTGRES_ROOMS_OF_CONTACTS =
        rooms_of_contacts!(concat!("= ANY (", ids_in!("$2"), ")"));
    QUEUE = "SELECT waits_since, room, channel FROM customer_rooms WHERE app = $1 \
        AND waits_since IS NOT NULL AND (is_handled_by_bot = 0 OR NOT EXISTS (SELECT 1 \
        FROM endpoints e WHERE e.app = $1 AND e.kind = $5 AND e.is_enabled = 1)) \
        AND (waits_since, room) > ($2, $3) ORDER BY waits_since, room LIMIT $4";
    IDLE_ROOMS = "SELECT updated_at, room FROM customer_rooms WHERE app = $1 \
        AND is_resolved = 0 AND session IS NOT NULL \
        AND (waits_since IS NULL OR is_handled_by_bot = 1) AND updated_at < $2 \
        AND (updated_at, room) > ($3, $4) ORDER BY updated_at, room LIMIT $5";
    ROOMS_OF_CONTACT = "SELECT c.room FROM channels ch \
        JOIN customer_rooms c ON c.channel = ch.id \
        WHERE ch.app = $1 AND c.customer = $2 AND c.room < $3 ORDER BY c.room DESC LIMIT $4";
    WAITING_COUNT = "SELECT count(*) FROM customer_rooms \
        WHERE app = $1 AND waits_since IS NOT NULL";
    NEEDS_NOBODY = "SELECT room FROM customer_rooms WHERE room = $1 AND waits_since IS NULL";
}

pub(crate) fn row(row: &ValueRow) -> Read<CustomerRoom> {
    let (room, app) = (RoomId(row.number(0)?), AppId(row.number(1)?));
    let session = row.maybe_number(12)?.map(|_| sessions::row_from(row, 12, app, room));
    Ok(CustomerRoom {
        room,
        app,
        channel: ChannelId(row.number(2)?),
        customer: UserKey(row.number(3)?),
        waits_since: row.maybe_time(4)?,
        is_handled_by_bot: row.flag(5)?,
        extras: row.json(6)?,
        badge_url: row.maybe_text(7)?,
        created_at: row.time(8)?,
        updated_at: row.time(9)?,
        bot_duty: bot_duty(row.number(10)?),
        brand: row.maybe_text(11)?,
        session: session.transpose()?,
    })
}

/// Reads the value of the column `is_left_to_people`. Versions before D-0201 also wrote 1 when an
/// agent joined.
pub(crate) fn bot_duty(number: i64) -> BotDuty {
    match number {
        0 => BotDuty::Always,
        2 => BotDuty::WhileUnserved,
        _ => BotDuty::SwitchedOff,
    }
}

fn bot_duty_number(duty: BotDuty) -> i64 {
    match duty {
        BotDuty::Always => 0,
        BotDuty::SwitchedOff => 1,
        BotDuty::WhileUnserved => 2,
    }
}

/// Writes a customer's room and its newest session.
pub(crate) fn put(customer_room: &CustomerRoom) -> Vec<Ask> {
    let CustomerRoom { room, app, channel, customer, session, waits_since, .. } = customer_room;
    let CustomerRoom { is_handled_by_bot, extras, badge_url, created_at, updated_at, .. } =
        customer_room;
    let values = values![
        room.0,
        app.0,
        channel.0,
        customer.0,
        session.as_ref().map(|session| session.id.0),
        customer_room.is_resolved(),
        *waits_since,
        *is_handled_by_bot,
        extras.as_ref(),
        badge_url.as_deref(),
        *created_at,
        *updated_at,
        bot_duty_number(customer_room.bot_duty),
        customer_room.brand.as_deref(),
    ];
    let mut asks = vec![Ask::new(&PUT_CUSTOMER_ROOM, values)];
    asks.extend(session.as_ref().map(sessions::put));
    asks
}

/// Deletes the data that the channel stored in the room.
pub(crate) fn delete_channel_data(room: RoomId) -> Ask {
    Ask::new(&FORGET_CHANNEL_DATA, values![room.0])
}

/// Raises the version of a customer's room, so that inboxes reload it. Has no effect on a room that
/// is not a customer's.
pub(crate) fn touch(room: RoomId) -> Ask {
    Ask::new(&TOUCH_CUSTOMER_ROOM, values![room.0])
}

impl Store {
    /// Returns the customer of a room, and their channel.
    pub async fn customer_of_room(
        &self,
        app: AppId,
        room: RoomId,
    ) -> Read<Option<(User, Channel)>> {
        let by_room = || values![room.0, app.0];
        let customer = self.query_now(Ask::new(&CUSTOMER_OF_ROOM, by_room()), users::row).await?;
        let ask = Ask::new(&CHANNEL_OF_ROOM, by_room());
        let channel = self.query_now(ask, |row| channels::row(row, self.sealer())).await?;
        Ok(customer.into_iter().zip(channel).next())
    }

    /// Returns the rooms of a customer of the app, newest first.
    pub async fn rooms_of_contact(
        &self,
        app: AppId,
        contact: UserKey,
        size: usize,
    ) -> Read<Vec<RoomId>> {
        self.rooms_before(app, contact, RoomId(ID_END), size).await
    }

    async fn rooms_before(
        &self,
        app: AppId,
        contact: UserKey,
        before: RoomId,
        size: usize,
    ) -> Read<Vec<RoomId>> {
        let values = values![app.0, contact.0, before.0, size as i64];
        self.asked(Ask::new(&ROOMS_OF_CONTACT, values), |row| Ok(RoomId(row.number(0)?))).await
    }

    /// Returns all rooms of a customer of the app, newest first, without a limit.
    pub async fn all_rooms_of_contact(&self, app: AppId, contact: UserKey) -> Read<Vec<RoomId>> {
        let (mut all, size) = (Vec::new(), limits::ROOMS_PER_SCAN);
        loop {
            let before = all.last().copied().unwrap_or(RoomId(ID_END));
            let some = self.rooms_before(app, contact, before, size).await?;
            let is_last = some.len() < size;
            all.extend(some);
            if is_last {
                return Ok(all);
            }
        }
    }

    /// Returns rooms of several customers of the app after this position, ordered by customer and
    /// room.
    pub async fn rooms_of_contacts(
        &self,
        app: AppId,
        contacts: &[UserKey],
        after: (UserKey, RoomId),
        size: usize,
    ) -> Read<Vec<CustomerRoom>> {
        let sql = match self {
            Self::Sqlite(_) => &SQLITE_ROOMS_OF_CONTACTS,
            Self::Postgres(_) => &POSTGRES_ROOMS_OF_CONTACTS,
        };
        let contacts = ids_as_text(contacts.iter().map(|contact| contact.0));
        let values = values![app.0, contacts, after.0.0, after.1.0, size as i64];
        self.asked(Ask::new(sql, values), row).await
    }

    /// Returns the newest room of a channel's customer.
    pub async fn room_of_customer(
        &self,
        app: AppId,
        channel: ChannelId,
        customer: &UserId,
    ) -> Read<Option<CustomerRoom>> {
        let values = values![channel.0, app.0, customer.as_str()];
        let ask = Ask::new(&ROOM_OF_CUSTOMER, values);
        Ok(self.query_now(ask, row).await?.pop())
    }

    /// Returns the start of the wait, the room and the channel of waiting customers that no bot
    /// answers, after this position, longest wait first. A bot whose endpoint is disabled answers
    /// no customers.
    pub async fn queue(
        &self,
        app: AppId,
        after: (Timestamp, RoomId),
        size: usize,
    ) -> Read<Vec<(Timestamp, RoomId, ChannelId)>> {
        let bot = EventKind::Bot.as_str();
        let values = values![app.0, after.0, after.1.0, size as i64, bot];
        let ask = Ask::new(&QUEUE, values);
        let read = |row: &ValueRow| {
            Ok((Timestamp(row.number(0)?), RoomId(row.number(1)?), ChannelId(row.number(2)?)))
        };
        self.asked(ask, read).await
    }

    /// Returns the time of the last change and the room of open conversations that are unchanged
    /// since before `since`, unless the customer waits for an agent and no bot answers: after this
    /// position, least recently changed first.
    pub async fn idle_rooms(
        &self,
        app: AppId,
        since: Timestamp,
        after: (Timestamp, RoomId),
        size: usize,
    ) -> Read<Vec<(Timestamp, RoomId)>> {
        let values = values![app.0, since, after.0, after.1.0, size as i64];
        let read = |row: &ValueRow| Ok((row.time(0)?, RoomId(row.number(1)?)));
        self.asked(Ask::new(&IDLE_ROOMS, values), read).await
    }

    /// Returns the number of customers that wait for an agent, including those that a bot
    /// answers.
    pub async fn waiting_count(&self, app: AppId) -> Read<u64> {
        let ask = Ask::new(&WAITING_COUNT, values![app.0]);
        let counted = self.asked(ask, |row| row.number(0)).await?;
        Ok(counted.first().map_or(0, |count| *count as u64))
    }

    /// Whether a room belongs to a customer that does not wait for an agent, because an agent
    /// serves the room or its session is resolved.
    pub async fn needs_no_agent(&self, room: RoomId) -> Read<bool> {
        let ask = Ask::new(&NEEDS_NOBODY, values![room.0]);
        Ok(!self.query_now(ask, |row| row.number(0)).await?.is_empty())
    }
}
