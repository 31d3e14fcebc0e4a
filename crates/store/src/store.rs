//! The store's entry point: opening, deciding, closing, and running statements. Methods that read a
//! table are in the table's file.

use std::sync::Arc;
use std::time::Duration;

use confab_domain::decision::commit_event::CommitListener;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::{Stamp, Stamps};
use confab_domain::ids::AppId;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use tokio::time::timeout;

use crate::error::{Read, StoreError, StoreProblem, WriteError};
use crate::location::Location;
use crate::postgres::nodes::notifications::Notifications;
use crate::secrets::packets::PacketSealer;
use crate::secrets::sealer::Sealer;
use crate::sql::{Ask, Row, ValueRow};
use crate::{postgres, sqlite};

/// The store. Clones are cheap and share the same store.
#[derive(Clone)]
pub enum Store {
    /// One file in the data folder. Only this process serves from it.
    Sqlite(Arc<sqlite::Engine>),
    /// A PostgreSQL database, which several nodes may share.
    Postgres(Arc<postgres::Engine>),
}

impl Store {
    /// Opens the store and migrates its schema. Fails if another process serves the folder. The
    /// current runtime must outlive the store, because responses are sent on it.
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

    /// Returns the sealer that seals and opens the secrets of this store.
    pub(crate) fn sealer(&self) -> &Sealer {
        match self {
            Self::Sqlite(engine) => &engine.sealer,
            Self::Postgres(engine) => &engine.sealer,
        }
    }

    /// Returns the sealer of packets between the nodes that share this store.
    pub fn packet_sealer(&self) -> PacketSealer {
        PacketSealer::new(match self {
            Self::Sqlite(engine) => engine.sealer.clone(),
            Self::Postgres(engine) => engine.sealer.clone(),
        })
    }

    /// Returns this node's number, which is part of its ids. `None` on SQLite, and before the first
    /// lease.
    pub fn node(&self) -> Option<i64> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(engine) => engine.node.get(),
        }
    }

    /// Runs a search for the current caller: a read by a text from the caller, or a read that scans
    /// many rows for few results. The number of concurrent searches is limited per caller and per
    /// app, and a search fails after `limits::SEARCH_MS_MAX` with [`StoreProblem::TooSlow`]
    /// (D-0207).
    pub async fn search<Found, Error: From<StoreError>>(
        &self,
        search: impl Future<Output = Result<Found, Error>>,
    ) -> Result<Found, Error> {
        let queues = match self {
            Self::Sqlite(engine) => &engine.queues,
            Self::Postgres(engine) => &engine.queues,
        };
        let _permit = queues.search().await?;
        let ended = timeout(Duration::from_millis(limits::SEARCH_MS_MAX), search).await;
        ended.unwrap_or_else(|late| {
            let (doing, trouble) = ("searching", StoreProblem::TooSlow);
            Err(StoreError { doing, trouble, source: late.into() }.into())
        })
    }

    /// Sets the listener that receives all committed changes. Has no effect if a listener is
    /// already set.
    pub fn set_commit_listener(&self, listener: Arc<dyn CommitListener>) {
        match self {
            Self::Sqlite(engine) => engine.listeners.open(listener),
            Self::Postgres(engine) => engine.listeners.open(listener),
        }
    }

    /// Loads the facts, runs the rule and writes its decision, in one transaction.
    ///
    /// The rooms that the question names are locked until the commit, so that the facts remain
    /// valid. `rule` is pure: it runs again if the commit of a batch of decisions fails.
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

    /// Returns the connection factory for notifications between the nodes that share this store;
    /// `None` on SQLite.
    pub fn notices(&self) -> Option<Notifications> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(engine) => Some(engine.notices()),
        }
    }

    /// Checks that the store accepts writes and reads. Concurrent checks share one write.
    pub async fn check(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(engine) => engine.check().await,
            Self::Postgres(engine) => engine.check().await,
        }
    }

    /// Flushes pending writes and closes the files. Later writes are refused.
    pub async fn close(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(engine) => engine.close().await,
            Self::Postgres(engine) => engine.close().await,
        }
    }

    /// Runs a statement whose cost grows with the stored data (D-0024).
    pub(crate) async fn asked<T>(
        &self,
        ask: Ask,
        read: impl Fn(&ValueRow) -> Read<T>,
    ) -> Read<Vec<T>> {
        self.rows(ask).await?.iter().map(read).collect()
    }

    /// Runs a statement of bounded cost, as most calls of clients do (D-0024).
    pub(crate) async fn query_now<T>(
        &self,
        ask: Ask,
        read: impl Fn(&ValueRow) -> Read<T>,
    ) -> Read<Vec<T>> {
        self.rows_now(ask).await?.iter().map(read).collect()
    }

    /// Returns the rows unparsed. It is not generic, so that the query code is compiled only once.
    async fn rows(&self, ask: Ask) -> Read<Vec<ValueRow>> {
        match self {
            Self::Sqlite(engine) => engine.read_long(move |reads| reads.asked(&ask)).await,
            Self::Postgres(engine) => engine.asked(ask).await,
        }
    }

    async fn rows_now(&self, ask: Ask) -> Read<Vec<ValueRow>> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.asked(&ask)),
            Self::Postgres(engine) => engine.query_now(&ask).await,
        }
    }

    /// Runs a statement that counts, and returns the count.
    pub(crate) async fn counted(&self, ask: Ask) -> Read<u64> {
        let counted = self.asked(ask, |row| row.number(0)).await?;
        Ok(counted.first().map_or(0, |count| *count as u64))
    }
}
