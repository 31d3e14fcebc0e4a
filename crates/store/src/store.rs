//! The door: how a store is opened, written to and closed, and how tables read from it. The verbs
//! that read stand with the tables.

use std::sync::Arc;

use confab_domain::decision::commit_event::CommitListener;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::{Stamp, Stamps};
use confab_domain::ids::AppId;
use confab_domain::refusal::Refusal;

use crate::error::{Read, StoreError, WriteError};
use crate::location::Location;
use crate::postgres::notifications::Notifications;
use crate::secrets::packets::PacketSealer;
use crate::secrets::sealer::Sealer;
use crate::sql::{Ask, Row, ValueRow};
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

    /// Seals what nodes that share this store send each other.
    pub fn packet_sealer(&self) -> PacketSealer {
        PacketSealer::new(match self {
            Self::Sqlite(engine) => engine.sealer.clone(),
            Self::Postgres(engine) => engine.sealer.clone(),
        })
    }

    /// The number that ids of this node carry, where several nodes can share the store.
    pub fn node(&self) -> Option<i64> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(engine) => engine.node.get(),
        }
    }

    /// From now on this one hears of everything that is on disk. There is one for a store.
    pub fn set_commit_listener(&self, hears: Arc<dyn CommitListener>) {
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

    /// A way for nodes that share this store to tell each other; `None` if nobody can share it.
    pub fn notices(&self) -> Option<Notifications> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(engine) => Some(engine.notices()),
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

    /// Runs a statement whose cost grows with what is stored (D-0024).
    pub(crate) async fn asked<T>(
        &self,
        ask: Ask,
        read: impl Fn(&ValueRow) -> Read<T>,
    ) -> Read<Vec<T>> {
        self.rows(ask).await?.iter().map(read).collect()
    }

    /// Runs a statement whose cost is bounded: what most calls of clients ask (D-0024).
    pub(crate) async fn asked_now<T>(
        &self,
        ask: Ask,
        read: impl Fn(&ValueRow) -> Read<T>,
    ) -> Read<Vec<T>> {
        self.rows_now(ask).await?.iter().map(read).collect()
    }

    /// The rows apart from how they are read: what asks is compiled once.
    async fn rows(&self, ask: Ask) -> Read<Vec<ValueRow>> {
        match self {
            Self::Sqlite(engine) => engine.read_long(move |reads| reads.asked(&ask)).await,
            Self::Postgres(engine) => engine.asked(ask).await,
        }
    }

    async fn rows_now(&self, ask: Ask) -> Read<Vec<ValueRow>> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.asked(&ask)),
            Self::Postgres(engine) => engine.asked_now(&ask).await,
        }
    }

    /// What a statement counts.
    pub(crate) async fn counted(&self, ask: Ask) -> Read<u64> {
        let counted = self.asked(ask, |row| row.number(0)).await?;
        Ok(counted.first().map_or(0, |count| *count as u64))
    }
}
