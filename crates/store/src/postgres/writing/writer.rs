//! The writer of a node: many decisions, one commit, two round trips.
//!
//! It takes everything that is queued. The first round trip opens a transaction, locks the rooms
//! and loads all facts; the rules then decide, one after the other; the second round trip writes
//! and commits. Only then are the callers answered. Posts to cached rooms are decided first, and
//! the write proves that the cache was current ([`upon_memory`]).
//!
//! Failures:
//! - A concurrent write of another node conflicts: all decisions run again on new facts.
//! - A decision cannot be written, or a lock is not available in time: each decision runs again in
//!   a commit of its own, so that one cannot fail the others. No lock is waited for in vain twice.
//! - The connection is lost before the commit is sent: nothing is written, and the batch is retried
//!   on a new connection.
//! - The connection is lost later: the node's row tells whether the commit took place (D-0025).
//! - The commit succeeds with a warning, or the database has Citus: a row that the commit wrote
//!   tells whether it took place (D-0025).
//! - The database is unreachable or cannot write: the callers get the error at once.

mod upon_memory;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use confab_domain::decision::commit_event::CommitEvent;
use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::AppId;
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::batch_facts::BatchFacts;
use super::batch_facts::memory::Memory;
use super::changes::Changes;
use super::failure::DatabaseFailure;
use super::{asked, facts};
use crate::error::{Fault, StoreError, StoreProblem};
use crate::postgres::connections::connection::{Connection, KEY_LOOKUPS, plain};
use crate::postgres::connections::endpoint::DatabaseEndpoint;
use crate::postgres::connections::readers::PAUSE_AFTER_FAILURE;
use crate::postgres::nodes::commit_proof::CommitProof;
use crate::postgres::nodes::node::{self, Node, NumberLease, OwnNumber};
use crate::postgres::reading::first_pages::PageCache;
use crate::reading::room_names::RoomNames;
use crate::secrets::sealer::Sealer;
use crate::sql::Row;
use crate::tables;
use crate::writing::locks;
use crate::writing::readiness::Readiness;
use crate::writing::waiting::{
    Answers, CommitListeners, Order, QueueBatch, QueuedDecision, WriterThread,
};

/// Maximum number of attempts to write a batch, or a single decision.
const TRIES_MAX: usize = 3;
/// Timeout for the answers to one round trip.
const ANSWER_WITHIN: Duration = Duration::from_secs(6);
/// Timeout for finding out whether a commit took place.
const LEARNED_WITHIN: Duration = Duration::from_secs(6);
/// Timeout for releasing the node's number when the node stops.
const RELEASED_WITHIN: Duration = Duration::from_secs(2);
/// Interval at which an idle node renews its lease.
const SIGN_OF_LIFE_EVERY: Duration = Duration::from_secs(10);

/// Settings of the writer's connection. A commit is on disk when it returns, unless it returns with
/// a warning. A node that hangs during a transaction loses its locks before other nodes stop
/// waiting for them.
const SETTINGS: &str = "SET synchronous_commit = on; SET client_min_messages = warning; \
    SET lock_timeout = '2s'; \
    SET statement_timeout = '5s'; SET idle_in_transaction_session_timeout = '1500ms'; \
    SET tcp_user_timeout = 10000";

/// Decisions that are written in one commit. A rule that refuses does not affect the others.
struct DecisionBatch {
    decisions: Vec<Box<dyn QueuedDecision>>,
    faults: Vec<Option<Fault>>,
    news: Vec<(AppId, CommitEvent)>,
    /// Messages that the decisions post.
    posted: Vec<Arc<PostedMessage>>,
    /// Whether every decision of the batch changes something.
    all_changed: bool,
    /// A row whose existence proves that the decisions were written.
    proof: Option<CommitProof>,
}

impl DecisionBatch {
    fn of(decisions: Vec<Box<dyn QueuedDecision>>) -> Self {
        let (faults, news, posted) = (Vec::new(), Vec::new(), Vec::new());
        Self { decisions, faults, news, posted, all_changed: false, proof: None }
    }

    /// Runs the rules one after the other, and returns the changes to write.
    fn decide(
        &mut self,
        found: &mut BatchFacts,
        stamps: &dyn Stamps,
        listeners: &CommitListeners,
        sealer: &Sealer,
    ) -> Changes {
        let mut changes = Changes::default();
        self.faults.clear();
        self.news.clear();
        self.posted.clear();
        self.all_changed = true;
        for (place, decision) in self.decisions.iter_mut().enumerate() {
            let app = decision.app();
            let facts = found.facts(app, decision.question(), place);
            let decided = decision.decide(&facts, stamps);
            self.faults.push(decided.as_ref().err().map(StoreError::fault));
            let decided = decided.unwrap_or_default();
            self.all_changed &= !decided.is_empty();
            for change in decided {
                found.take_up(app, &change);
                if listeners.are_open() {
                    self.news.extend(CommitEvent::of(&change).map(|news| (app, news)));
                }
                changes.add(app, change, sealer);
            }
        }
        changes
    }

    /// Records the row that proves the commit and the messages that it posts, before the changes
    /// are committed.
    fn prove_by(&mut self, changes: &Changes) {
        self.proof = changes.proof();
        self.posted = changes.posted();
    }

    fn answered(self) -> Vec<(Box<dyn QueuedDecision>, Option<Fault>)> {
        self.decisions.into_iter().zip(self.faults).collect()
    }

    fn refused(self, fault: &Fault) -> Vec<(Box<dyn QueuedDecision>, Option<Fault>)> {
        metrics::counter!("confab_store_failures_total").increment(1);
        self.decisions.into_iter().map(|it| (it, Some(fault.clone()))).collect()
    }
}

/// State of the writer thread.
pub(crate) struct Writer {
    endpoint: DatabaseEndpoint,
    answers: Answers,
    listeners: CommitListeners,
    readiness: Arc<Readiness>,
    stamps: Arc<dyn Stamps>,
    sealer: Arc<Sealer>,
    room_names: Arc<RoomNames>,
    kept_pages: Arc<PageCache>,
    memory: Memory,
    session: Option<Connection>,
    node: Option<Node>,
    own_number: OwnNumber,
    newest_id: i64,
    /// Time of the last renewal of the lease or commit.
    signed_at: Instant,
    refused: Option<(Instant, Fault)>,
}

pub(crate) fn start(
    endpoint: DatabaseEndpoint,
    stamps: Arc<dyn Stamps>,
    sealer: Arc<Sealer>,
    (room_names, kept_pages): (Arc<RoomNames>, Arc<PageCache>),
    (listeners, readiness, own_number): (CommitListeners, Arc<Readiness>, OwnNumber),
) -> Result<WriterThread, StoreError> {
    WriterThread::start(move |waiting, answers| {
        let writer = Writer {
            endpoint,
            answers,
            listeners,
            readiness,
            stamps,
            sealer,
            room_names,
            kept_pages,
            memory: Memory::default(),
            session: None,
            node: None,
            own_number,
            newest_id: 0,
            signed_at: Instant::now(),
            refused: None,
        };
        // The connection's I/O runs on this thread too, so that no other one has to be woken.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(StoreError::while_doing("starting the writer"))?;
        runtime.block_on(writer.run(waiting));
        Ok(())
    })
}

impl Writer {
    async fn run(mut self, mut waiting: mpsc::Receiver<Order>) {
        loop {
            let order = match timeout(SIGN_OF_LIFE_EVERY, waiting.recv()).await {
                Ok(Some(order)) => order,
                Ok(None) => break,
                Err(_) => {
                    // If it fails, the next write reports it.
                    let _ = self.check().await;
                    continue;
                }
            };
            let taken = QueueBatch::all(order, &mut waiting);
            for decisions in apart(taken.decisions) {
                self.write_all(decisions, &mut HashSet::new()).await;
            }
            if !taken.checks.is_empty() {
                let checked = self.check().await;
                for check in taken.checks {
                    let failed = |fault: &Fault| StoreError::while_doing(CHECKING)(fault.clone());
                    // The caller may be gone.
                    let _ = check.send(checked.as_ref().map(|_| ()).map_err(failed));
                }
            }
            for (_, answer) in taken.forgets {
                // Another connection drops whole days.
                let _ = answer.send(Ok(0));
            }
            if taken.is_last {
                break;
            }
            // Decisions without writes do not renew the lease.
            if self.signed_at.elapsed() > SIGN_OF_LIFE_EVERY {
                let _ = self.check().await;
            }
        }
        waiting.close();
        if let (Some(session), Some(node)) = (&self.session, &self.node) {
            // If it fails, the lease expires by itself.
            let _ = timeout(RELEASED_WITHIN, node.release(session, self.newest_id)).await;
        }
    }

    /// Renews the lease of the node's number, which also proves that commits work.
    async fn check(&mut self) -> Result<(), Fault> {
        self.connect().await?;
        let (Some(session), Some(node)) = (&self.session, &self.node) else {
            return Err("there is no connection".into());
        };
        drop(session.take_warning());
        let kept = timeout(ANSWER_WITHIN, node.keep(session, self.newest_id)).await;
        let reason = match kept {
            Ok(Ok(NumberLease::Ours { .. })) => match session.take_warning() {
                Some(warning) => warning,
                None => {
                    self.signed_at = Instant::now();
                    return Ok(());
                }
            },
            Ok(Ok(NumberLease::Lost)) => "the node's number was lost; leasing a new one".into(),
            Ok(Err(error)) => plain(&error),
            Err(_) => NO_ANSWER.into(),
        };
        self.session = None;
        Err(reason)
    }

    /// Writes the decisions, in one commit if possible, and answers their callers. Adds locks that
    /// were not available in time to `locked`; decisions that need them fail without another wait.
    async fn write_all(
        &mut self,
        decisions: Vec<Box<dyn QueuedDecision>>,
        locked: &mut HashSet<(AppId, String)>,
    ) {
        let started = Instant::now();
        let mut batch = DecisionBatch::of(decisions);
        for tries_left in (0..TRIES_MAX).rev() {
            let failure = match self.write_once(&mut batch).await {
                Ok(()) => {
                    let count = batch.decisions.len();
                    metrics::histogram!("confab_store_commit_writes").record(count as f64);
                    metrics::histogram!("confab_store_commit_seconds")
                        .record(started.elapsed().as_secs_f64());
                    return self.written(batch);
                }
                Err(failure) => failure,
            };
            self.note(&failure);
            let is_single = batch.decisions.len() == 1;
            let is_warned = matches!(failure, DatabaseFailure::Warned(_));
            let (reason, may_try_again) = match failure {
                DatabaseFailure::Unwell(reason) => (reason, false),
                DatabaseFailure::Lost(reason) => (reason, true),
                DatabaseFailure::Conflict(_) if !is_single && tries_left == 0 => break,
                DatabaseFailure::Conflict(reason) => (reason, true),
                DatabaseFailure::Wrong(_) | DatabaseFailure::Locked(_) if !is_single => break,
                DatabaseFailure::Locked(reason) => {
                    locked.extend(batch.decisions.iter().flat_map(|one| locks_of(&**one)));
                    (reason, false)
                }
                DatabaseFailure::Wrong(reason) => (reason, false),
                DatabaseFailure::Unknown(reason) | DatabaseFailure::Warned(reason) => {
                    match self.became_of_commit(batch.proof, is_warned).await {
                        Some(true) => return self.written(batch),
                        Some(false) => (reason, true),
                        None => (is_unknown(reason), false),
                    }
                }
            };
            if !may_try_again || tries_left == 0 {
                return self.answers.send(batch.refused(&reason));
            }
        }
        for decision in batch.decisions {
            if locks_of(&*decision).iter().any(|lock| locked.contains(lock)) {
                let one = DecisionBatch::of(vec![decision]);
                self.answers.send(
                    one.refused(&"another transaction has locked its room, lane or user".into()),
                );
                continue;
            }
            Box::pin(self.write_all(vec![decision], locked)).await;
        }
    }

    /// Reports faults of the database to the readiness check. Other failures concern only one
    /// decision.
    fn note(&self, failure: &DatabaseFailure) {
        match failure {
            DatabaseFailure::Unwell(fault)
            | DatabaseFailure::Lost(fault)
            | DatabaseFailure::Unknown(fault)
            | DatabaseFailure::Warned(fault) => {
                self.readiness.failed(fault);
            }
            DatabaseFailure::Wrong(fault) if fault.trouble != StoreProblem::Unavailable => {
                self.readiness.failed(fault);
            }
            DatabaseFailure::Conflict(_)
            | DatabaseFailure::Locked(_)
            | DatabaseFailure::Wrong(_) => {}
        }
    }

    /// Publishes a commit that is on disk, and then answers the callers.
    fn written(&self, mut batch: DecisionBatch) {
        batch.posted.iter().for_each(|posted| self.kept_pages.posted(posted));
        self.listeners.notify(std::mem::take(&mut batch.news));
        self.answers.send(batch.answered());
    }

    /// Attempts to write the batch once. After an error, the connection is either usable or
    /// dropped.
    async fn write_once(&mut self, batch: &mut DecisionBatch) -> Result<(), DatabaseFailure> {
        self.connect().await.map_err(DatabaseFailure::Unwell)?;
        let written = self.write_in_transaction(batch).await;
        match &written {
            Ok(()) => {}
            Err(
                DatabaseFailure::Conflict(_)
                | DatabaseFailure::Locked(_)
                | DatabaseFailure::Wrong(_),
            ) => {
                self.roll_back().await;
            }
            Err(
                DatabaseFailure::Unwell(_)
                | DatabaseFailure::Lost(_)
                | DatabaseFailure::Unknown(_)
                | DatabaseFailure::Warned(_),
            ) => {
                self.session = None;
            }
        }
        written
    }

    async fn roll_back(&mut self) {
        let Some(session) = &self.session else { return };
        if !matches!(timeout(ANSWER_WITHIN, session.run("ROLLBACK")).await, Ok(Ok(()))) {
            self.session = None;
        }
    }

    async fn write_in_transaction(
        &mut self,
        batch: &mut DecisionBatch,
    ) -> Result<(), DatabaseFailure> {
        if self.write_upon_memory(batch).await? {
            return Ok(());
        }
        let (Some(db), Some(node)) = (&self.session, self.node.as_mut()) else {
            return Err(DatabaseFailure::Lost("there is no connection".into()));
        };
        let known = (&*self.room_names, &*self.sealer);
        let loading = facts::load(db, node, known, &batch.decisions);
        let no_answer = |_| DatabaseFailure::Unwell(NO_ANSWER.into());
        let found = timeout(ANSWER_WITHIN, loading).await.map_err(no_answer)??;
        let Some(mut found) = found else { return Err(self.number_lost()) };
        self.memory.compare(&found);
        let changes = batch.decide(&mut found, &*self.stamps, &self.listeners, &self.sealer);
        if changes.is_empty() {
            self.roll_back().await;
            return Ok(());
        }
        self.newest_id = self.newest_id.max(changes.newest_id());
        batch.prove_by(&changes);
        drop(db.take_warning());
        let now = self.stamps.now();
        committed(db, changes.write_and_commit(db, node, self.newest_id, now)).await?;
        match changes.only_posts() {
            true => self.memory.learn(&found, &batch.decisions),
            false => self.memory.evict(&found),
        }
        self.has_committed();
        Ok(())
    }

    fn number_lost(&mut self) -> DatabaseFailure {
        self.node = None;
        DatabaseFailure::Lost("the node's number was lost".into())
    }

    fn has_committed(&mut self) {
        self.signed_at = Instant::now();
        self.readiness.written();
    }

    /// Determines whether a commit without a clear answer took place; `None` if that cannot be
    /// determined in time.
    async fn became_of_commit(
        &mut self,
        proof: Option<CommitProof>,
        is_warned: bool,
    ) -> Option<bool> {
        timeout(LEARNED_WITHIN, self.learn_of_commit(proof, is_warned)).await.unwrap_or(None)
    }

    async fn learn_of_commit(
        &mut self,
        proof: Option<CommitProof>,
        is_warned: bool,
    ) -> Option<bool> {
        let mut pause = tokio::time::interval(PAUSE_AFTER_FAILURE);
        loop {
            pause.tick().await;
            let Ok(session) = self.open_session().await else { continue };
            let node = self.node.as_ref()?;
            // Waits until the old connection's transaction has ended.
            let is_marked = match node.keep(&session, self.newest_id).await {
                // A warning about a standby concerns the earlier commit too.
                Ok(NumberLease::Ours { .. }) if session.take_warning().is_some() => continue,
                Ok(NumberLease::Ours { batch }) => node.has_written(batch),
                Ok(NumberLease::Lost) => return None,
                Err(_) => continue,
            };
            let is_sharding = session.is_sharding();
            let is_written = match proof.filter(|_| is_warned || is_sharding) {
                Some(proof) => match proof.is_there(&session).await {
                    Ok(is_there) => is_there,
                    Err(_) => continue,
                },
                // The mark is on the coordinator, and the workers' state is not known.
                None if is_marked && is_warned && is_sharding => return None,
                None => is_marked,
            };
            self.session = Some(session);
            return Some(is_written);
        }
    }

    /// Connects and leases a node number, unless both are in place. Fails at once shortly after a
    /// failed attempt.
    async fn connect(&mut self) -> Result<(), Fault> {
        let is_open = self.session.as_ref().is_some_and(|session| !session.is_closed());
        if is_open && self.node.is_some() {
            return Ok(());
        }
        self.session = None;
        if let Some((at, reason)) = &self.refused
            && at.elapsed() < PAUSE_AFTER_FAILURE
        {
            return Err(reason.clone());
        }
        let opened = timeout(ANSWER_WITHIN, self.open_as_node()).await;
        let opened = opened.unwrap_or_else(|_| Err(NO_ANSWER.into()));
        self.refused = opened.as_ref().err().map(|reason| (Instant::now(), reason.clone()));
        opened
    }

    /// Opens a connection, and renews the lease of the node number or leases a new one.
    async fn open_as_node(&mut self) -> Result<(), Fault> {
        let in_words = |error: StoreError| error.fault();
        let session = self.open_session().await?;
        if let Some(node) = &self.node {
            let kept = node.keep(&session, self.newest_id).await;
            if matches!(kept.map_err(|error| plain(&error))?, NumberLease::Lost) {
                self.node = None;
            }
        }
        if self.node.is_none() {
            let rows = session.query(node::NEWEST_ID.postgres(), &[]).await;
            let rows = rows.map_err(|error| plain(&error))?;
            let newest = rows[0].maybe_number(0).map_err(in_words)?;
            let files_place = self.endpoint.files_place.as_deref();
            let node = Node::claim(&session, files_place).await.map_err(in_words)?;
            self.stamps.serve_as(node.number);
            self.own_number.set(node.number);
            // All ids from now on are greater than the stored ones, even if the clock was set back.
            self.stamps.next_id(newest.unwrap_or(0));
            self.node = Some(node);
        }
        self.session = Some(session);
        Ok(())
    }

    async fn open_session(&self) -> Result<Connection, Fault> {
        let db = Connection::open(&self.endpoint, &format!("{KEY_LOOKUPS}; {SETTINGS}")).await?;
        let prepare = async {
            let of_writer = [node::PREPARED, asked::PREPARED];
            let statements = tables::PREPARED.iter().chain(&of_writer).copied().flatten().copied();
            db.prepare_all(statements).await
        };
        let prepared = timeout(ANSWER_WITHIN, prepare).await.map_err(|_| NO_ANSWER)?;
        prepared.map_err(|error| plain(&error))?;
        Ok(db)
    }
}

/// Waits for the answer to a COMMIT. `Ok` means that the commit took place.
async fn committed(
    db: &Connection,
    commit: impl Future<Output = Result<(), tokio_postgres::Error>>,
) -> Result<(), DatabaseFailure> {
    match timeout(ANSWER_WITHIN, commit).await {
        Ok(Ok(())) => match db.take_warning() {
            Some(warning) => Err(DatabaseFailure::Warned(warning)),
            None => Ok(()),
        },
        Ok(Err(error)) => Err(match DatabaseFailure::from(error) {
            DatabaseFailure::Lost(reason) => DatabaseFailure::Unknown(reason),
            failure => failure,
        }),
        Err(_) => Err(DatabaseFailure::Unknown(NO_ANSWER.into())),
    }
}

/// Divides decisions into batches that load their facts together. No two decisions of a batch share
/// a lock key of `locks`.
fn apart(decisions: Vec<Box<dyn QueuedDecision>>) -> Vec<Vec<Box<dyn QueuedDecision>>> {
    let mut batches: Vec<Vec<Box<dyn QueuedDecision>>> = Vec::new();
    let mut asked = HashSet::new();
    for decision in decisions {
        let keys = locks::keys(decision.app(), decision.question());
        let is_apart = keys.iter().all(|key| !asked.contains(key));
        match batches.last_mut().filter(|_| is_apart) {
            Some(batch) => batch.push(decision),
            None => {
                asked.clear();
                batches.push(vec![decision]);
            }
        }
        asked.extend(keys);
    }
    batches
}

/// Returns names of the locks that a decision takes: its rooms, its lane and, if it may change
/// them, its users.
fn locks_of(decision: &dyn QueuedDecision) -> Vec<(AppId, String)> {
    let (app, question) = (decision.app(), decision.question());
    let rooms = question.rooms.iter().map(|room| (app, format!("room {}", room.shown())));
    let users = question.users.iter().filter(|_| question.locks_users);
    let users = users.map(|user| (app, format!("user {}", user.as_str())));
    let lane = question.endpoints.iter().map(|(lane, _)| (app, format!("lane {}", lane.0)));
    rooms.chain(users).chain(lane).collect()
}

fn is_unknown(fault: Fault) -> Fault {
    let reason = format!("it is not known whether it was written: {}", fault.reason);
    Fault { reason, ..fault }
}

const CHECKING: &str = "checking the database";
const NO_ANSWER: &str = "the database did not answer in time";

const _: () = assert!(limits::NODE_LEASE_S > 3 * SIGN_OF_LIFE_EVERY.as_secs());
