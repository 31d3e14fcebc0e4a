//! Reading connections: few, opened on demand, replaced when they fail.
//!
//! A connection accepts several statements at a time and answers them in order, so a few serve many
//! requests. Reads whose cost grows with the stored data have connections of their own, which run
//! one statement at a time (`lists`).

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use confab_domain::limits;
use parking_lot::Mutex;
use tokio_postgres::Row;

use super::connection::{Connection, ErrorMeaning, KEY_LOOKUPS, LISTS, Params, meaning, plain};
use super::endpoint::DatabaseEndpoint;
use crate::error::{Fault, StoreError};

/// Time after a failed attempt to connect during which requests fail without another attempt.
pub(crate) const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(250);

/// Divisor of the answer timeout. A connection that has not answered for the resulting time gets no
/// further statements.
const SILENT_PART: u32 = 8;

/// Connections for reads of one kind: reads of bounded cost, or lists.
pub(crate) struct Readers {
    endpoint: DatabaseEndpoint,
    settings: String,
    answer_within: Duration,
    slots: Vec<Slot>,
    refused: Mutex<Option<Refused>>,
}

/// A failed attempt to connect.
struct Refused {
    began: Instant,
    ended: Instant,
    reason: Fault,
}

#[derive(Default)]
struct Slot {
    connection: tokio::sync::Mutex<Option<Arc<Connection>>>,
    waiting: AtomicUsize,
    /// Time of the last answer on the connection.
    answered: Mutex<Option<Instant>>,
    /// Time of the last progress on a connection with unanswered statements. It is stored here
    /// because the callers may have given up, and then no other task notices the silence.
    unanswered: Mutex<Option<Instant>>,
}

/// Counts a running statement on its connection; dropped when it ends.
struct Running<'a>(&'a AtomicUsize);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Readers {
    /// Creates readers for reads of bounded cost.
    pub(crate) fn of_keys(endpoint: DatabaseEndpoint) -> Self {
        let settings = format!("{KEY_LOOKUPS}; SET statement_timeout = '8s'");
        Self::new(endpoint, settings, Duration::from_secs(10), limits::POSTGRES_READERS_MAX)
    }

    /// Creates readers for reads whose cost grows with the stored data.
    pub(crate) fn of_lists(endpoint: DatabaseEndpoint) -> Self {
        let settings = format!("{LISTS}; SET statement_timeout = '20s'");
        Self::new(endpoint, settings, Duration::from_secs(22), limits::POSTGRES_LISTERS_MAX)
    }

    fn new(
        endpoint: DatabaseEndpoint,
        settings: String,
        answer_within: Duration,
        count: usize,
    ) -> Self {
        let slots = (0..count).map(|_| Slot::default()).collect();
        Self { endpoint, settings, answer_within, slots, refused: Mutex::new(None) }
    }

    /// Returns the rows of a statement, which is prepared at its first use. Retries if the
    /// connection was lost.
    pub(crate) async fn query(
        &self,
        doing: &'static str,
        text: &str,
        params: Params<'_>,
    ) -> Result<Vec<Row>, StoreError> {
        let answers = self.query_all(doing, &[(text, params)]).await?;
        Ok(answers.into_iter().flatten().collect())
    }

    /// Returns the rows of several statements, which are sent together on one connection.
    pub(crate) async fn query_all(
        &self,
        doing: &'static str,
        asked: &[(&str, Params<'_>)],
    ) -> Result<Vec<Vec<Row>>, StoreError> {
        self.query_until(doing, asked, std::future::pending()).await
    }

    /// Like `query_all`, but once `unwanted` completes, cancels the statements and fails.
    pub(crate) async fn query_until(
        &self,
        doing: &'static str,
        asked: &[(&str, Params<'_>)],
        unwanted: impl Future<Output = ()>,
    ) -> Result<Vec<Vec<Row>>, StoreError> {
        let mut unwanted = pin!(unwanted);
        // All connections may be lost at once, each unnoticed until it is used.
        let mut tries_left = self.slots.len() + 1;
        loop {
            let slot = self.least_busy();
            let _running = slot.begin();
            let connection = self.connection(slot).await?;
            let began = Instant::now();
            slot.unanswered.lock().get_or_insert(began);
            let answer = connection.query_all(asked);
            let answer = tokio::select! {
                biased;
                answer = tokio::time::timeout(self.answer_within, answer) => answer,
                () = &mut unwanted => {
                    connection.cancel(&self.endpoint).await;
                    // A late cancellation must not end the next statement of the connection.
                    slot.drop_connection(&connection).await;
                    return Err(StoreError::while_doing(doing)("no caller waits for the answer"));
                }
            };
            let reason = match answer {
                Ok(Ok(answers)) => {
                    slot.has_answered();
                    return Ok(answers);
                }
                Ok(Err(error)) if meaning(&error) == ErrorMeaning::ConnectionLost => plain(&error),
                Ok(Err(error)) => {
                    slot.has_answered();
                    return Err(StoreError::while_doing(doing)(plain(&error)));
                }
                Err(_) => {
                    self.drop_silent(began);
                    tries_left = 1;
                    "the database did not answer in time".into()
                }
            };
            slot.drop_connection(&connection).await;
            tries_left -= 1;
            if tries_left == 0 {
                return Err(StoreError::while_doing(doing)(reason));
            }
        }
    }

    /// Returns the reason of a recent failure to connect, unless the database has answered since
    /// the attempt began, which proves that the cause is gone.
    fn refused_lately(&self) -> Option<Fault> {
        let refused = self.refused.lock();
        let refused = refused.as_ref().filter(|it| it.ended.elapsed() < PAUSE_AFTER_FAILURE)?;
        let has_answered =
            |slot: &Slot| slot.answered.lock().is_some_and(|answered| answered > refused.began);
        (!self.slots.iter().any(has_answered)).then(|| refused.reason.clone())
    }

    /// Drops all connections that have not answered since this time. The network may be down for
    /// all of them, and dropping them spares other requests the wait.
    fn drop_silent(&self, since: Instant) {
        for slot in &self.slots {
            let is_silent = slot.answered.lock().is_none_or(|answered| answered < since);
            // A locked slot is being opened.
            if let Ok(mut held) = slot.connection.try_lock()
                && is_silent
            {
                *held = None;
            }
        }
    }

    /// Closes all connections.
    pub(crate) async fn close(&self) {
        for slot in &self.slots {
            *slot.connection.lock().await = None;
        }
    }

    /// Returns the first slot among those with the fewest running statements, so that further
    /// connections are opened only under load.
    fn least_busy(&self) -> &Slot {
        let busy = |slot: &&Slot| slot.waiting.load(Ordering::Relaxed);
        self.slots.iter().min_by_key(busy).expect("there is at least one")
    }

    async fn connection(&self, slot: &Slot) -> Result<Arc<Connection>, StoreError> {
        let mut held = slot.connection.lock().await;
        let is_well = |connection: &&Arc<Connection>| {
            !connection.is_closed() && !slot.is_silent(self.answer_within / SILENT_PART)
        };
        if let Some(connection) = held.as_ref().filter(is_well) {
            return Ok(connection.clone());
        }
        let doing = "connecting to the database";
        if let Some(reason) = self.refused_lately() {
            return Err(StoreError::while_doing(doing)(reason));
        }
        let began = Instant::now();
        let opened = Connection::open(&self.endpoint, &self.settings).await;
        let connection = opened.map(Arc::new).map_err(|reason| {
            let refused = Refused { began, ended: Instant::now(), reason: reason.clone() };
            *self.refused.lock() = Some(refused);
            StoreError::while_doing(doing)(reason)
        })?;
        *held = Some(connection.clone());
        *slot.unanswered.lock() = None;
        Ok(connection)
    }
}

impl Slot {
    fn begin(&self) -> Running<'_> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        Running(&self.waiting)
    }

    /// Records an answer on the connection.
    fn has_answered(&self) {
        let now = Instant::now();
        *self.answered.lock() = Some(now);
        let others_wait = self.waiting.load(Ordering::Relaxed) > 1;
        *self.unanswered.lock() = others_wait.then_some(now);
    }

    /// Whether statements have been unanswered for longer than `limit`.
    fn is_silent(&self, limit: Duration) -> bool {
        self.unanswered.lock().is_some_and(|since| since.elapsed() > limit)
    }

    /// Drops a failed connection, unless it was replaced already.
    async fn drop_connection(&self, broken: &Arc<Connection>) {
        let mut held = self.connection.lock().await;
        if held.as_ref().is_some_and(|connection| Arc::ptr_eq(connection, broken)) {
            *held = None;
        }
    }
}
