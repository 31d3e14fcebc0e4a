//! A consistent snapshot of an app, read while servers run, for the operator's export command
//! (D-0173).
//!
//! Rows are streamed, because an app may be larger than memory. All rows are as of the first read,
//! however long the export takes.

use confab_domain::app::AppCode;
use confab_domain::channels::channel::ChannelKind;
use confab_domain::ids::{AppId, ChannelId};
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::moving::moved::{
    MovedChannel, MovedMessage, MovedName, MovedParticipant, MovedRoom, MovedSession, MovedSupport,
    MovedUser,
};
use confab_domain::people::user::{Realm, UserId};
use confab_domain::rooms::room::RoomUniqueId;

use super::command_database::CommandDatabase;
use crate::error::{Read, StoreError};
use crate::location::Location;
use crate::sql::{Ask, Row, Statement, ValueRow, count, statements, values};
use crate::tables::customer_rooms;
use crate::tables::messages::{self, message_columns};
use crate::tables::rooms::{self, room_columns};
use crate::tables::sessions::{self, session_columns};
use crate::tables::users::{self, user_columns};

const DOING: &str = "exporting an app";

macro_rules! messages_of_app {
    ($join:literal) => {
        concat!(
            "SELECT ",
            message_columns!("m."),
            ", r.unique_id, u.user_id, u.realm FROM messages m ",
            $join,
            " rooms r ON r.id = m.room ",
            $join,
            " users u ON u.id = m.sender WHERE r.app = $1 ORDER BY m.id"
        )
    };
}

statements! {
    APP_TO_EXPORT = "SELECT id, system_user FROM apps WHERE code = $1";
    EXPORTED_CHANNELS = "SELECT id, kind, name FROM channels WHERE app = $1 ORDER BY id";
    EXPORTED_USERS = concat!("SELECT ", user_columns!("u."), ", d.email FROM users u \
        LEFT JOIN dashboard_users d ON d.id = u.id WHERE u.app = $1 ORDER BY u.id");
    EXPORTED_ROOMS = concat!("SELECT ", room_columns!("r."), ", c.channel, u.user_id, u.realm, \
        c.waits_since, c.is_handled_by_bot, c.is_left_to_people, c.brand, c.extras, c.badge_url, \
        c.created_at, c.updated_at FROM rooms r LEFT JOIN customer_rooms c ON c.room = r.id \
        LEFT JOIN users u ON u.id = c.customer WHERE r.app = $1 ORDER BY r.id");
    EXPORTED_PARTICIPANTS = "SELECT r.unique_id, u.user_id, u.realm, p.read_number, p.joined_at \
        FROM participants p JOIN rooms r ON r.id = p.room JOIN users u ON u.id = p.user_key \
        WHERE r.app = $1 ORDER BY p.room, p.user_key";
    // Ordered across all rooms. SQLite stores messages in this order and must not sort them.
    SQLITE_EXPORTED_MESSAGES = messages_of_app!("CROSS JOIN");
    POSTGRES_EXPORTED_MESSAGES = messages_of_app!("JOIN");
    EXPORTED_SESSIONS = concat!("SELECT s.app, s.room, ", session_columns!("s."), ", r.unique_id, \
        f.client_unique_id, l.client_unique_id, sd.email, rd.email, fd.email FROM sessions s \
        JOIN rooms r ON r.id = s.room \
        LEFT JOIN messages f ON f.room = s.room AND f.id = s.first_message \
        LEFT JOIN messages l ON l.room = s.room AND l.id = s.last_message \
        LEFT JOIN dashboard_users sd ON sd.id = s.served_by \
        LEFT JOIN dashboard_users rd ON rd.id = s.resolved_by \
        LEFT JOIN dashboard_users fd ON fd.id = s.first_reply_by \
        WHERE s.app = $1 ORDER BY s.id");
}

/// Callback that receives each row. If it returns an error, the read ends with that error.
pub type Taker<'a, T> = &'a mut dyn FnMut(T) -> std::io::Result<()>;

/// A consistent snapshot of an app.
pub struct AppSnapshot {
    database: CommandDatabase,
    app: AppId,
    system_user: i64,
}

impl AppSnapshot {
    /// Opens a snapshot; `None` if there is no such app.
    pub async fn open(location: &Location, code: &AppCode) -> Result<Option<Self>, StoreError> {
        let database = CommandDatabase::open_to_export(location).await?;
        let found = database.query(DOING, &APP_TO_EXPORT, values![code.as_str()]).await?;
        let Some(row) = found.first() else { return Ok(None) };
        let (app, system_user) = (AppId(row.number(0)?), row.number(1)?);
        Ok(Some(Self { database, app, system_user }))
    }

    /// Reads all channels, including deleted ones.
    pub async fn channels(&self, taker: Taker<'_, MovedChannel>) -> Result<(), StoreError> {
        let read = |row: &ValueRow| {
            Ok(MovedChannel {
                id: ChannelId(row.number(0)?),
                kind: row.known(1, "kind of channel", ChannelKind::parse)?,
                name: row.text(2)?,
            })
        };
        self.each(&EXPORTED_CHANNELS, read, taker).await
    }

    /// Reads all users, of all realms, by time of creation.
    pub async fn users(&self, taker: Taker<'_, MovedUser>) -> Result<(), StoreError> {
        let read = |row: &ValueRow| {
            let user = users::row(row)?;
            Ok(MovedUser {
                is_system: user.key.0 == self.system_user,
                name: name(user.user_id, user.realm),
                username: user.username,
                avatar_url: user.avatar_url,
                extras: user.extras,
                is_active: user.is_active,
                created_at: user.created_at,
                updated_at: user.updated_at,
                agent: row.maybe_text(users::COLUMNS)?,
            })
        };
        self.each(&EXPORTED_USERS, read, taker).await
    }

    /// Reads all rooms, by time of creation.
    pub async fn rooms(&self, taker: Taker<'_, MovedRoom>) -> Result<(), StoreError> {
        let read = |row: &ValueRow| {
            let room = rooms::row(row)?;
            let is_customers = row.maybe_number(rooms::COLUMNS)?.is_some();
            Ok(MovedRoom {
                unique_id: room.unique_id,
                kind: room.kind,
                name: room.name,
                avatar_url: room.avatar_url,
                options: room.options,
                created_at: room.created_at,
                updated_at: room.updated_at,
                service: is_customers.then(|| service(row, rooms::COLUMNS)).transpose()?,
            })
        };
        self.each(&EXPORTED_ROOMS, read, taker).await
    }

    /// Reads the participants of all rooms.
    pub async fn participants(&self, taker: Taker<'_, MovedParticipant>) -> Result<(), StoreError> {
        let read = |row: &ValueRow| {
            Ok(MovedParticipant {
                room: RoomUniqueId::from_trusted(row.text(0)?),
                user: name_at(row, 1)?,
                read_number: row.number(3)? as u64,
                joined_at: row.time(4)?,
            })
        };
        self.each(&EXPORTED_PARTICIPANTS, read, taker).await
    }

    /// Reads all messages, including deleted ones, oldest first.
    pub async fn messages(&self, taker: Taker<'_, MovedMessage>) -> Result<(), StoreError> {
        let statement = match &self.database {
            CommandDatabase::Sqlite(_) => &SQLITE_EXPORTED_MESSAGES,
            CommandDatabase::Postgres(_) => &POSTGRES_EXPORTED_MESSAGES,
        };
        let read = |row: &ValueRow| {
            let message = messages::row(row)?;
            Ok(MovedMessage {
                room: RoomUniqueId::from_trusted(row.text(messages::COLUMNS)?),
                unique_id: message.unique_id(),
                sender: name_at(row, messages::COLUMNS + 1)?,
                kind: message.kind,
                text: message.text,
                payload: message.payload,
                extras: message.extras,
                posted_at: message.posted_at,
                is_deleted: message.is_deleted,
            })
        };
        self.each(statement, read, taker).await
    }

    /// Reads all sessions of customers' rooms, oldest first.
    pub async fn sessions(&self, taker: Taker<'_, MovedSession>) -> Result<(), StoreError> {
        self.each(&EXPORTED_SESSIONS, session, taker).await
    }

    async fn each<T>(
        &self,
        statement: &'static Statement,
        read: impl Fn(&ValueRow) -> Read<T>,
        taker: Taker<'_, T>,
    ) -> Result<(), StoreError> {
        let ask = Ask::new(statement, values![self.app.0]);
        let mut take = |row: ValueRow| {
            taker(read(&row)?).map_err(StoreError::while_doing("writing the export"))
        };
        self.database.each(DOING, &ask, &mut take).await
    }
}

fn name(user: UserId, realm: Realm) -> MovedName {
    let channel = match realm {
        Realm::App => None,
        Realm::Channel(channel) => Some(channel),
    };
    MovedName { user, channel }
}

/// Reads a user's id and realm from the columns that begin at `first`.
fn name_at(row: &ValueRow, first: usize) -> Read<MovedName> {
    let user = UserId::from_stored(row.text(first)?);
    Ok(name(user, Realm::from_number(row.number(first + 1)?)))
}

fn service(row: &ValueRow, first: usize) -> Read<MovedSupport> {
    Ok(MovedSupport {
        channel: ChannelId(row.number(first)?),
        customer: name_at(row, first + 1)?,
        waits_since: row.maybe_time(first + 3)?,
        is_handled_by_bot: row.flag(first + 4)?,
        bot_duty: customer_rooms::bot_duty(row.number(first + 5)?),
        brand: row.maybe_text(first + 6)?,
        extras: row.json(first + 7)?,
        badge_url: row.maybe_text(first + 8)?,
        created_at: row.time(first + 9)?,
        updated_at: row.time(first + 10)?,
    })
}

fn session(row: &ValueRow) -> Read<MovedSession> {
    const NEXT: usize = 2 + count(session_columns!(""));
    let session = sessions::row(row)?;
    let named = |column, message| {
        let given = row.maybe_text(column)?.map(UniqueId::from_stored);
        Read::Ok(given.unwrap_or_else(|| UniqueId::of(session.room, message)))
    };
    Ok(MovedSession {
        room: RoomUniqueId::from_trusted(row.text(NEXT)?),
        id: session.id,
        first_message: named(NEXT + 1, session.first_message)?,
        last_message: named(NEXT + 2, session.last_message)?,
        served_by: row.maybe_text(NEXT + 3)?,
        taken_at: session.taken_at,
        notes: session.notes,
        first_message_at: session.first_message_at,
        created_at: session.created_at,
        updated_at: session.updated_at,
        resolved_at: session.resolved_at,
        resolved_by: row.maybe_text(NEXT + 4)?,
        first_reply_at: session.first_reply_at,
        first_reply_by: row.maybe_text(NEXT + 5)?,
        reopened_at: session.reopened_at,
        rating: session.rating,
        rated_at: session.rated_at,
        rating_asked_at: session.rating_asked_at,
        unheard_since: session.unheard_since,
    })
}
