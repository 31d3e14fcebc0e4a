//! The door: every verb of the store, on either engine.

use std::sync::Arc;

use confab_domain::app::{App, AppCode};
use confab_domain::decision::commit_event::CommitListener;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::{Stamp, Stamps};
use confab_domain::ids::{AppId, DeliveryId, MessageId, RoomId, UserKey};
use confab_domain::messages::message::Message;
use confab_domain::people::user::{User, UserId};
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::{Room, RoomRef};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{
    Attempt, BUCKETS, Backlog, Delivery, Lane, Listed, Progress,
};
use confab_domain::webhooks::endpoint::Endpoint;

use crate::error::{StoreError, WriteError};
use crate::listing::{DeliveryListing, Found, Held, LoggedAttempt, Mark, RoomListing, UserListing};
use crate::location::Location;
use crate::pages::PageEntry;
use crate::postgres::notices::Notices;
use crate::secrets::sealer::Sealer;
use crate::{postgres, sqlite};

/// Where everything is kept. Cheap to clone; all clones are one store.
#[derive(Clone)]
pub enum Store {
    /// One file in the data folder, written by this process alone.
    Sqlite(Arc<sqlite::Engine>),
    /// A PostgreSQL, written by any number of nodes.
    Postgres(Arc<postgres::Engine>),
}

impl Store {
    /// Opens the store, bringing its schema up to date first. Refuses a folder that another process
    /// serves from. The runtime that this is called on must live as long as the store is in use:
    /// answers are given there.
    pub async fn open(
        location: &Location,
        stamps: Arc<dyn Stamps>,
        sealer: Arc<Sealer>,
    ) -> Result<Self, StoreError> {
        Ok(match location {
            Location::Folder(path) => {
                Self::Sqlite(Arc::new(sqlite::Engine::open(path, stamps, sealer)?))
            }
            Location::Postgres(endpoint) => {
                Self::Postgres(Arc::new(postgres::Engine::open(endpoint, stamps, sealer).await?))
            }
        })
    }

    /// What opens the secrets that are read.
    pub(crate) fn sealer(&self) -> &Sealer {
        match self {
            Self::Sqlite(engine) => &engine.sealer,
            Self::Postgres(engine) => &engine.sealer,
        }
    }

    /// From now on this one hears of everything that is on disk. There is one for a store.
    pub fn tell_news_to(&self, hears: Arc<dyn CommitListener>) {
        match self {
            Self::Sqlite(engine) => engine.listeners.open(hears),
            Self::Postgres(engine) => engine.listeners.open(hears),
        }
    }

    /// Asks, lets the rule decide and writes what it decided, as one transaction.
    ///
    /// The rooms of the question are locked until the decision is on disk, so the facts cannot
    /// change under `rule`. `rule` is pure: a failed commit of several decisions runs it again.
    pub async fn decide<Outcome, Rule>(
        &self,
        app: AppId,
        question: Question,
        rule: Rule,
    ) -> Result<Outcome, WriteError>
    where
        Outcome: Send + 'static,
        Rule: Fn(&Facts, &Stamp<'_>) -> Result<Decision<Outcome>, Refusal> + Send + 'static,
    {
        let writer = match self {
            Self::Sqlite(engine) => &engine.writer,
            Self::Postgres(engine) => &engine.writer,
        };
        writer.decide(app, question, rule).await
    }

    /// The app of this code.
    pub async fn app(&self, code: &AppCode) -> Result<Option<App>, StoreError> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.app(code)),
            Self::Postgres(engine) => engine.app(code).await,
        }
    }

    /// The app of this integer.
    pub async fn app_by_id(&self, app: AppId) -> Result<Option<App>, StoreError> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.app_by_id(app)),
            Self::Postgres(engine) => engine.app_by_id(app).await,
        }
    }

    /// The oldest app. Apps are never deleted, so it is always the same, on every node.
    pub async fn first_app(&self) -> Result<Option<App>, StoreError> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.first_app()),
            Self::Postgres(engine) => engine.first_app().await,
        }
    }

    /// A way for nodes that share this store to tell each other; `None` if nobody can share it.
    pub fn notices(&self) -> Option<Notices> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(engine) => Some(engine.notices()),
        }
    }

    /// A room of the app.
    pub async fn room(&self, app: AppId, room: &RoomRef) -> Result<Option<Room>, StoreError> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.room(app, room)),
            Self::Postgres(engine) => engine.room(app, room).await,
        }
    }

    /// Those of the rooms that the app has, in the order asked.
    pub async fn rooms(&self, app: AppId, rooms: &[RoomRef]) -> Result<Vec<Room>, StoreError> {
        match self {
            Self::Sqlite(engine) => {
                let rooms = rooms.to_vec();
                engine.read_long(move |reads| reads.rooms(app, &rooms)).await
            }
            Self::Postgres(engine) => engine.rooms(app, rooms).await,
        }
    }

    /// A page of a room, newest message first, deleted ones left out; `None` without such a room.
    pub async fn page(
        &self,
        app: AppId,
        room: &RoomRef,
        skipped: u64,
        size: usize,
    ) -> Result<Option<Vec<PageEntry>>, StoreError> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.page(app, room, skipped, size)),
            Self::Postgres(engine) => engine.page(app, room, skipped, size).await,
        }
    }

    /// The messages of a room between two ids, newest first, deleted ones left out, at most `size`
    /// of them; `None` without such a room.
    pub async fn range(
        &self,
        app: AppId,
        room: &RoomRef,
        ids: (MessageId, MessageId),
        size: usize,
    ) -> Result<Option<Vec<PageEntry>>, StoreError> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.range(app, room, ids, size)),
            Self::Postgres(engine) => engine.range(app, room, ids, size).await,
        }
    }

    /// Every message a room ever had, deleted ones included, oldest first: what checks walk along.
    pub async fn chain(&self, room: RoomId) -> Result<Vec<Message>, StoreError> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.chain(room)),
            Self::Postgres(engine) => engine.chain(room).await,
        }
    }

    /// The app's own user of this name.
    pub async fn user(&self, app: AppId, user: &UserId) -> Result<Option<User>, StoreError> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.user(app, user)),
            Self::Postgres(engine) => engine.user(app, user).await,
        }
    }

    /// What the app's own user of this name connects with.
    pub async fn token(&self, app: AppId, user: &UserId) -> Result<Option<String>, StoreError> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.token(app, user)),
            Self::Postgres(engine) => engine.token(app, user).await,
        }
    }

    /// Who is in a room, in the order they were registered; `None` without such a room.
    pub async fn participants(
        &self,
        app: AppId,
        room: &RoomRef,
        skipped: u64,
        size: usize,
    ) -> Result<Option<Vec<User>>, StoreError> {
        match self {
            Self::Sqlite(engine) => {
                let room = room.clone();
                engine.read_long(move |reads| reads.participants(app, &room, skipped, size)).await
            }
            Self::Postgres(engine) => engine.participants(app, room, skipped, size).await,
        }
    }

    /// How much whoever has this name has not read in each of the rooms they are in, of those
    /// asked; `None` if nobody has it.
    pub async fn unread(
        &self,
        app: AppId,
        user: &UserId,
        rooms: &[RoomRef],
    ) -> Result<Option<Vec<(RoomId, u64)>>, StoreError> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.unread(app, user, rooms)),
            Self::Postgres(engine) => engine.unread(app, user, rooms).await,
        }
    }

    /// How much the user has not read in all their rooms together.
    pub async fn unread_in_all(&self, user: UserKey) -> Result<u64, StoreError> {
        match self {
            Self::Sqlite(engine) => engine.read_long(move |reads| reads.unread_in_all(user)).await,
            Self::Postgres(engine) => engine.unread_in_all(user).await,
        }
    }

    /// A user's rooms in the app, the one last spoken in first, and how many there are in all.
    pub async fn user_rooms(
        &self,
        app: AppId,
        user: UserKey,
        listing: RoomListing,
    ) -> Result<(Vec<Room>, u64), StoreError> {
        match self {
            Self::Sqlite(engine) => {
                engine.read_long(move |reads| reads.user_rooms(app, user, listing)).await
            }
            Self::Postgres(engine) => engine.user_rooms(app, user, listing).await,
        }
    }

    /// A page of the app's own users, and how many there are in all.
    pub async fn users(
        &self,
        app: AppId,
        listing: UserListing,
    ) -> Result<(Vec<User>, u64), StoreError> {
        match self {
            Self::Sqlite(engine) => engine.read_long(move |reads| reads.users(app, listing)).await,
            Self::Postgres(engine) => engine.users(app, listing).await,
        }
    }

    /// Where the app wants to be told of what happens.
    pub async fn endpoints(&self, app: AppId) -> Result<Vec<Endpoint>, StoreError> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.endpoints(app)),
            Self::Postgres(engine) => engine.endpoints(app).await,
        }
    }

    /// What waits to be delivered in these buckets and was not there, or not to be sent again, at
    /// the look that gave this mark. Of what was, some may come again. In no order.
    pub async fn waiting_deliveries(
        &self,
        buckets: &[i64],
        after: Mark,
    ) -> Result<Found, StoreError> {
        match self {
            Self::Sqlite(engine) => engine.waiting_deliveries(after).await,
            Self::Postgres(engine) => engine.waiting_deliveries(buckets, after).await,
        }
    }

    /// These deliveries, as they are to be sent, in no order; without those that are not there.
    pub async fn deliveries(
        &self,
        ids: &[(Lane, DeliveryId)],
    ) -> Result<Vec<(Delivery, Progress)>, StoreError> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.deliveries(ids)),
            Self::Postgres(engine) => engine.deliveries(ids).await,
        }
    }

    /// A delivery of the app with all its attempts.
    pub async fn delivery(
        &self,
        app: AppId,
        delivery: DeliveryId,
    ) -> Result<Option<(Delivery, Progress, Vec<Attempt>)>, StoreError> {
        let found = match self {
            Self::Sqlite(engine) => {
                engine.read(|reads| reads.deliveries(&[(Lane(0), delivery)]))?
            }
            Self::Postgres(engine) => engine.delivery_in_any_bucket(delivery).await?,
        };
        let of_app = found.into_iter().find(|(found, _)| found.app == app);
        let Some((found, progress)) = of_app else { return Ok(None) };
        let attempts = match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.attempts(delivery))?,
            Self::Postgres(engine) => engine.attempts(found.lane, delivery).await?,
        };
        Ok(Some((found, progress, attempts)))
    }

    /// Deliveries of the app.
    pub async fn listed_deliveries(
        &self,
        app: AppId,
        listing: DeliveryListing,
    ) -> Result<Vec<Listed>, StoreError> {
        match self {
            Self::Sqlite(engine) => {
                engine.read_long(move |reads| reads.listed_deliveries(app, listing)).await
            }
            Self::Postgres(engine) => engine.listed_deliveries(app, listing).await,
        }
    }

    /// Attempts of the app, those of the newest delivery first.
    pub async fn logged_attempts(
        &self,
        app: AppId,
        skipped: u64,
        size: usize,
    ) -> Result<Vec<LoggedAttempt>, StoreError> {
        match self {
            Self::Sqlite(engine) => {
                engine.read_long(move |reads| reads.logged_attempts(app, skipped, size)).await
            }
            Self::Postgres(engine) => engine.logged_attempts(app, skipped, size).await,
        }
    }

    /// What the app's endpoints have not got yet; of much, only a part is counted.
    pub async fn backlogs(&self, app: AppId) -> Result<Vec<Backlog>, StoreError> {
        match self {
            Self::Sqlite(engine) => engine.read_long(move |reads| reads.backlogs(app)).await,
            Self::Postgres(engine) => engine.backlogs(app).await,
        }
    }

    /// Which buckets this sender holds, for `limits::BUCKET_LEASE_S` from when it was asked, and
    /// how many senders there are. Free buckets are taken; `given` are given to the others.
    pub async fn hold_buckets(&self, sender: &str, given: &[i64]) -> Result<Held, StoreError> {
        match self {
            Self::Sqlite(_) => Ok(Held { buckets: (0..BUCKETS).collect(), senders: 1 }),
            Self::Postgres(engine) => engine.hold_buckets(sender, given).await,
        }
    }

    /// This sender ends: others may have its buckets at once.
    pub async fn give_up_buckets(&self, sender: &str) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(engine) => engine.give_up_buckets(sender).await,
        }
    }

    /// Forgets some of the deliveries made before a time, with their attempts, and makes room for
    /// those of the days to come. Nothing is forgotten that waits: the clock that says how old it
    /// is may be wrong. To be called again while it gives more than 0 (D-0031).
    pub async fn forget_deliveries(
        &self,
        before: Timestamp,
        now: Timestamp,
    ) -> Result<usize, StoreError> {
        match self {
            Self::Sqlite(engine) => engine.writer.forget(DeliveryId::first_at(before)).await,
            Self::Postgres(engine) => engine.forget_deliveries(before, now).await,
        }
    }

    /// Whether the store takes writes and gives reads. All who ask share the write that proves it.
    pub async fn check(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(engine) => engine.check().await,
            Self::Postgres(engine) => engine.check().await,
        }
    }

    /// Writes what is kept behind and lets go of the files. Writes that come later are refused.
    pub async fn close(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(engine) => engine.close().await,
            Self::Postgres(engine) => engine.close().await,
        }
    }
}
