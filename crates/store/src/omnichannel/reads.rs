//! What handlers of the omnichannel half read.

use confab_domain::channels::channel::Channel;
use confab_domain::ids::{AgentId, AppId, ChannelId, EndpointId, ID_END, RoomId};
use confab_domain::limits;
use confab_domain::people::user::{User, UserId};
use confab_domain::service::buttons::Button;
use confab_domain::service::customer_room::{AgentRecord, Candidate, CustomerRoom};
use confab_domain::service::settings::Settings;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::notice::{AgentProfile, Info, Tag};
use confab_domain::webhooks::notice_kind::NoticeKind;

use super::{facts, rows, statements as sql};
use crate::error::StoreError;
use crate::sql::Statement;
use crate::sql::{Ask, Row, Value, ValueRow, values};
use crate::store::Store;

type Read<T> = Result<T, StoreError>;

/// A customer's room as lists show it.
pub struct ListedRoom {
    /// What the room is to its customer.
    pub customer_room: CustomerRoom,
    /// The room's name.
    pub name: String,
    /// The room's picture, or an empty text.
    pub avatar_url: String,
    /// Whom it serves.
    pub customer: UserId,
    /// Their name for people.
    pub customer_name: String,
}

/// Which customers' rooms are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhichRooms {
    /// All of the app.
    All,
    /// Whose newest session is resolved, or not.
    Resolved(bool),
    /// Whose customers wait for an agent.
    Unserved,
    /// That somebody serves.
    Served,
    /// That this agent serves.
    ServedBy(AgentId),
    /// With a tag of this name.
    Tagged(String),
}

impl WhichRooms {
    /// Those after a room, those before it, and how many there are.
    fn statements(&self) -> [&'static Statement; 3] {
        use sql::*;
        match self {
            Self::All => [&CUSTOMER_ROOMS, &EARLIER_ROOMS, &COUNT_ROOMS],
            Self::Resolved(_) => [&ROOMS_BY_END, &EARLIER_ROOMS_BY_END, &COUNT_ROOMS_BY_END],
            Self::Unserved => [&UNSERVED_ROOMS, &EARLIER_UNSERVED_ROOMS, &COUNT_UNSERVED_ROOMS],
            Self::Served => [&SERVED_ROOMS, &EARLIER_SERVED_ROOMS, &COUNT_SERVED_ROOMS],
            Self::ServedBy(_) => {
                [&ROOMS_SERVED_BY, &EARLIER_ROOMS_SERVED_BY, &COUNT_ROOMS_SERVED_BY]
            }
            Self::Tagged(_) => [&TAGGED_ROOMS, &EARLIER_TAGGED_ROOMS, &COUNT_TAGGED_ROOMS],
        }
    }

    /// The values of a statement, which has one more for some kinds.
    fn values(&self, mut values: Vec<Value>) -> Vec<Value> {
        values.extend(match self {
            Self::Resolved(is_resolved) => Some(Value::from(*is_resolved)),
            Self::ServedBy(agent) => Some(agent.0.into()),
            Self::Tagged(tag) => Some(tag.into()),
            Self::All | Self::Unserved | Self::Served => None,
        });
        values
    }
}

/// Where a list of rooms is read on, by when the room there changed and which it is.
#[derive(Debug, Clone, Copy)]
pub enum Stretch {
    /// Those after it, the nearest first.
    After(Timestamp, RoomId),
    /// Those before it, the nearest first.
    Before(Timestamp, RoomId),
}

fn listed_room(row: &ValueRow) -> Read<ListedRoom> {
    let column = rows::CUSTOMER_ROOM_COLUMNS;
    Ok(ListedRoom {
        customer_room: rows::customer_room(row)?,
        name: row.text(column)?,
        avatar_url: row.text(column + 1)?,
        customer: UserId::from_stored(row.text(column + 2)?),
        customer_name: row.text(column + 3)?,
    })
}

impl Store {
    /// Who signs in with this e-mail address, with the password's hash.
    pub async fn worker_by_email(&self, email: &str) -> Read<Option<(AgentRecord, String)>> {
        let ask = Ask::new(&sql::WORKER_BY_EMAIL, values![email]);
        let read = |row: &ValueRow| {
            Ok((rows::worker(row, self.sealer())?, row.text(rows::WORKER_COLUMNS)?))
        };
        Ok(self.asked(ask, read).await?.pop())
    }

    /// Who signed in with a token of this hash, if it is still good, with the channels they serve.
    pub async fn signed_in(&self, hash: &str, now: Timestamp) -> Read<Option<AgentRecord>> {
        let ask = Ask::new(&sql::SIGNED_IN, values![hash, now.0]);
        let found = self.asked(ask, |row| rows::worker(row, self.sealer())).await?.pop();
        let Some(worker) = found else { return Ok(None) };
        let ask = Ask::new(&sql::CHANNELS_OF_AGENT, values![worker.profile.user.id.0]);
        let channels = self.asked(ask, |row| Ok(ChannelId(row.number(0)?))).await?;
        Ok(Some(AgentRecord { channels, ..worker }))
    }

    /// Everybody who works in the app, how many each serves, and of which channels.
    pub async fn workers(&self, app: AppId) -> Read<Vec<Candidate>> {
        let ask = Ask::new(&sql::WORKERS, values![app.0, limits::CANDIDATES_MAX as i64]);
        let found = self.asked(ask, |row| rows::candidate(row, self.sealer())).await?;
        self.with_channels(app, found).await
    }

    /// Somebody who works in the app, and how many they serve.
    pub async fn worker(&self, app: AppId, user: AgentId) -> Read<Option<Candidate>> {
        let ask = Ask::new(&sql::WORKER, values![user.0, app.0]);
        let found = self.asked(ask, |row| rows::candidate(row, self.sealer())).await?;
        Ok(self.with_channels(app, found).await?.pop())
    }

    async fn with_channels(&self, app: AppId, found: Vec<Candidate>) -> Read<Vec<Candidate>> {
        let ask = Ask::new(&sql::AGENT_CHANNELS, values![app.0]);
        let pairs = self.asked(ask, facts::agent_channel).await?;
        Ok(facts::with_channels(found, &facts::by_agent(pairs)))
    }

    /// The app's settings.
    pub async fn settings(&self, app: AppId) -> Read<Settings> {
        let ask = Ask::new(&sql::SETTINGS, values![app.0]);
        let set = self.asked(ask, |row| Ok((row.text(0)?, row.text(1)?))).await?;
        Ok(Settings::from_stored(set))
    }

    /// The app's channels, the oldest first.
    pub async fn channels(&self, app: AppId) -> Read<Vec<Channel>> {
        let ask = Ask::new(&sql::CHANNELS, values![app.0]);
        self.asked(ask, |row| rows::channel(row, self.sealer())).await
    }

    /// Whom a room serves, and where they write from.
    pub async fn customer_of_room(
        &self,
        app: AppId,
        room: RoomId,
    ) -> Read<Option<(User, Channel)>> {
        let by_room = || values![room.0, app.0];
        let customer = self.asked(Ask::new(&sql::CUSTOMER_OF_ROOM, by_room()), rows::user).await?;
        let ask = Ask::new(&sql::CHANNEL_OF_ROOM, by_room());
        let channel = self.asked(ask, |row| rows::channel(row, self.sealer())).await?;
        Ok(customer.into_iter().zip(channel).next())
    }

    /// The newest room of a customer of a channel.
    pub async fn room_of_customer(
        &self,
        app: AppId,
        channel: ChannelId,
        customer: &UserId,
    ) -> Read<Option<CustomerRoom>> {
        let values = values![channel.0, app.0, customer.as_str()];
        let ask = Ask::new(&sql::ROOM_OF_CUSTOMER, values);
        Ok(self.asked(ask, rows::customer_room).await?.pop())
    }

    /// Customers' rooms of one kind. The one that last changed comes first in the whole list; what
    /// is read goes away from the beginning or from the end of the stretch.
    pub async fn customer_rooms(
        &self,
        app: AppId,
        which: &WhichRooms,
        stretch: Stretch,
        size: usize,
    ) -> Read<Vec<ListedRoom>> {
        let [after, before, _] = which.statements();
        let (sql, (time, room)) = match stretch {
            Stretch::After(time, room) => (after, (time, room)),
            Stretch::Before(time, room) => (before, (time, room)),
        };
        let values = which.values(values![app.0, time.0, room.0, size as i64]);
        self.asked(Ask::new(sql, values), listed_room).await
    }

    /// How many customers' rooms of one kind there are; no more than so many are counted.
    pub async fn count_rooms(&self, app: AppId, which: &WhichRooms, max: usize) -> Read<usize> {
        let [_, _, sql] = which.statements();
        let values = which.values(values![app.0, i64::MAX, ID_END, max as i64]);
        let counted = self.asked(Ask::new(sql, values), |row| row.number(0)).await?;
        Ok(counted.first().map_or(0, |count| *count as usize))
    }

    /// A customer's room of the app.
    pub async fn customer_room(&self, app: AppId, room: RoomId) -> Read<Option<ListedRoom>> {
        let ask = Ask::new(&sql::LISTED_ROOM, values![room.0, app.0]);
        Ok(self.asked(ask, listed_room).await?.pop())
    }

    /// Who serves a room, the first who came first.
    pub async fn agents_of_room(&self, room: RoomId) -> Read<Vec<AgentProfile>> {
        let ask = Ask::new(&sql::AGENTS_IN_ROOM, values![room.0]);
        self.asked(ask, |row| Ok(rows::worker(row, self.sealer())?.profile)).await
    }

    /// Customers who wait for an agent and whom no bot answers, the one who waits longest first,
    /// after this one: since when, where, and where they write from. A bot that the app switched
    /// off answers nobody.
    pub async fn queue(
        &self,
        app: AppId,
        after: (Timestamp, RoomId),
        size: usize,
    ) -> Read<Vec<(Timestamp, RoomId, ChannelId)>> {
        let bot = NoticeKind::Bot.as_str();
        let values = values![app.0, after.0.0, after.1.0, size as i64, bot];
        let ask = Ask::new(&sql::QUEUE, values);
        let read = |row: &ValueRow| {
            Ok((Timestamp(row.number(0)?), RoomId(row.number(1)?), ChannelId(row.number(2)?)))
        };
        self.asked(ask, read).await
    }

    /// How many customers wait for an agent, those with a bot included.
    pub async fn waiting_count(&self, app: AppId) -> Read<u64> {
        let ask = Ask::new(&sql::WAITING_COUNT, values![app.0]);
        let counted = self.asked(ask, |row| row.number(0)).await?;
        Ok(counted.first().map_or(0, |count| *count as u64))
    }

    /// Whether a room is a customer's who waits for nobody: somebody serves, or it is resolved.
    pub async fn needs_nobody(&self, room: RoomId) -> Read<bool> {
        let ask = Ask::new(&sql::NEEDS_NOBODY, values![room.0]);
        Ok(!self.asked(ask, |row| row.number(0)).await?.is_empty())
    }

    /// The apps for which the server itself assigns agents.
    pub async fn apps_that_allocate(&self) -> Read<Vec<AppId>> {
        let ask = Ask::new(&sql::APPS_THAT_ALLOCATE, values![Settings::ALLOCATES]);
        self.asked(ask, |row| Ok(AppId(row.number(0)?))).await
    }

    /// Agents of the app who serve and are away at least since this time.
    pub async fn away_agents(
        &self,
        app: AppId,
        since: Timestamp,
        size: usize,
    ) -> Read<Vec<AgentId>> {
        let ask = Ask::new(&sql::AWAY_AGENTS, values![app.0, since.0, size as i64]);
        self.asked(ask, |row| Ok(AgentId(row.number(0)?))).await
    }

    /// Agents who are deleted and have not left all their rooms yet.
    pub async fn deleted_agents(&self, size: usize) -> Read<Vec<(AppId, AgentId)>> {
        let ask = Ask::new(&sql::DELETED_AGENTS, values![size as i64]);
        let read = |row: &ValueRow| Ok((AppId(row.number(0)?), AgentId(row.number(1)?)));
        self.asked(ask, read).await
    }

    /// Those who count as available and are signed in nowhere.
    pub async fn lapsed_workers(&self, now: Timestamp, size: usize) -> Read<Vec<(AppId, AgentId)>> {
        let ask = Ask::new(&sql::LAPSED_WORKERS, values![now.0, size as i64]);
        let read = |row: &ValueRow| Ok((AppId(row.number(0)?), AgentId(row.number(1)?)));
        self.asked(ask, read).await
    }

    /// The rooms that an agent serves.
    pub async fn rooms_of_agent(&self, agent: AgentId, size: usize) -> Read<Vec<RoomId>> {
        let ask = Ask::new(&sql::ROOMS_OF_AGENT, values![agent.0, size as i64]);
        self.asked(ask, |row| Ok(RoomId(row.number(0)?))).await
    }

    /// The app's tags.
    pub async fn tags(&self, app: AppId) -> Read<Vec<Tag>> {
        let ask = Ask::new(&sql::ALL_TAGS, values![app.0, limits::TAGS_MAX as i64]);
        self.asked(ask, rows::tag).await
    }

    /// The tags of a room.
    pub async fn tags_of_room(&self, room: RoomId) -> Read<Vec<Tag>> {
        self.asked(Ask::new(&sql::TAGS_OF_ROOM, values![room.0]), rows::tag).await
    }

    /// What is known about the customer in a room.
    pub async fn infos(&self, room: RoomId) -> Read<Vec<Info>> {
        self.asked(Ask::new(&sql::INFOS, values![room.0]), rows::info).await
    }

    /// The app's custom buttons.
    pub async fn buttons(&self, app: AppId) -> Read<Vec<Button>> {
        let ask = Ask::new(&sql::BUTTONS, values![app.0, limits::BUTTONS_OF_APP_MAX as i64]);
        let read = |row: &ValueRow| {
            Ok(Button {
                id: EndpointId(row.number(0)?),
                label: row.text(1)?,
                url: row.text(2)?,
                is_active: row.flag(3)?,
            })
        };
        self.asked(ask, read).await
    }

    pub(crate) async fn asked<T: Send + 'static>(
        &self,
        ask: Ask,
        read: impl Fn(&ValueRow) -> Read<T>,
    ) -> Read<Vec<T>> {
        let rows = match self {
            Self::Sqlite(engine) => engine.read_long(move |reads| reads.asked(&ask)).await?,
            Self::Postgres(engine) => engine.asked(&ask).await?,
        };
        rows.iter().map(read).collect()
    }
}
