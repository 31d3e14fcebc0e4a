//! The one thread that writes: many decisions, one commit, one fsync.
//!
//! It takes everything that waits, runs each piece of work inside one transaction and commits. Only
//! then does it answer. If a piece of work fails in the store, the transaction is taken back and
//! each piece runs again in one of its own, so that one cannot fail the others; rules are pure, so
//! running them twice is harmless. If a commit fails, all its callers are told so and everything
//! remembered is forgotten.

use std::collections::VecDeque;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use confab_domain::decision::{Change, Decision, Facts, Question, Stamp, Stamps};
use confab_domain::ids::{AppId, MessageId, RoomId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::batch::Batch;
use super::facts::Sources;
use super::first_pages::FirstPages;
use super::memory::Memory;
use super::places::{Places, Tail};
use super::{changes, places_on_disk};
use crate::error::StoreError;

/// Rooms whose places are written in one commit, so that writing behind delays nobody for long.
const PLACES_ROOMS_PER_COMMIT: usize = 256;

/// Places on their way to disk: these rooms are left, then all up to this message are written.
#[derive(Default)]
struct WritingBehind {
    rooms: VecDeque<RoomId>,
    up_to: Option<MessageId>,
}

/// Everything the writer thread owns.
pub(super) struct Writer {
    db: Connection,
    memory: Memory,
    places: Arc<Places>,
    first_pages: Arc<FirstPages>,
    stamps: Arc<dyn Stamps>,
    batch: Batch,
    newest: MessageId,
    unwritten: usize,
    behind: WritingBehind,
}

impl Writer {
    pub(super) fn new(
        db: Connection,
        places: Arc<Places>,
        first_pages: Arc<FirstPages>,
        stamps: Arc<dyn Stamps>,
    ) -> Result<Self, StoreError> {
        let doing = "reading where the newest messages are";
        let unwritten = places_on_disk::rebuild(&db, &places);
        let unwritten = unwritten.map_err(StoreError::while_doing(doing))?;
        let newest = places_on_disk::newest_message(&db).map_err(StoreError::while_doing(doing))?;
        // From now on every id is greater than those stored, even if the clock was set back.
        let newest_id = places_on_disk::newest_id(&db).map_err(StoreError::while_doing(doing))?;
        stamps.next_id(newest_id);
        Ok(Self {
            db,
            memory: Memory::default(),
            places,
            first_pages,
            stamps,
            batch: Batch::default(),
            newest: MessageId(newest),
            unwritten,
            behind: WritingBehind::default(),
        })
    }

    /// Asks, lets the rule decide, applies what it decided. The outer error is the store's.
    pub(super) fn decide<Outcome>(
        &mut self,
        app: AppId,
        question: &Question,
        rule: &impl Fn(&Facts, &Stamp<'_>) -> Result<Decision<Outcome>, Refusal>,
    ) -> Result<Result<Outcome, Refusal>, StoreError> {
        let Self { db, memory, places, batch, .. } = self;
        let facts = Sources { db, memory, places, batch }
            .facts(app, question)
            .map_err(StoreError::while_doing("loading the facts of a decision"))?;
        let decided = rule(&facts, &Stamp::new(&*self.stamps, &facts));
        let Decision { changes, outcome } = match decided {
            Ok(decision) => decision,
            Err(refusal) => return Ok(Err(refusal)),
        };
        for change in &changes {
            changes::apply(&self.db, app, change)
                .map_err(StoreError::while_doing("writing a decision"))?;
            self.memory.forget_changed(change);
            if let Change::InsertRoom(room) = change {
                // No question named it, so nothing was looked up: it may be posted to at once.
                self.places.keep(room.id, Tail::empty());
            }
            self.batch.add(change, &facts);
        }
        Ok(Ok(outcome))
    }

    /// Proves that a transaction can be opened; it is open when this runs.
    pub(super) fn check(&mut self) -> Result<(), StoreError> {
        let rows = self.db.query_row("SELECT count(*) FROM places_written", [], |_| Ok(()));
        rows.map_err(StoreError::while_doing("checking the database"))
    }

    /// Runs the work in one transaction and answers when it is on disk.
    fn run_all(&mut self, work: &mut Vec<Box<dyn Work>>) {
        let started = Instant::now();
        match self.run_in_transaction(work) {
            Ok(()) => {
                metrics::histogram!("confab_store_commit_writes").record(work.len() as f64);
                metrics::histogram!("confab_store_commit_seconds")
                    .record(started.elapsed().as_secs_f64());
                work.drain(..).for_each(|work| work.answer(None));
            }
            Err(Failure::OfWork(_)) if work.len() > 1 => {
                for one in work.drain(..) {
                    self.run_all(&mut vec![one]);
                }
            }
            Err(Failure::OfWork(error) | Failure::OfCommit(error)) => {
                metrics::counter!("confab_store_failures_total").increment(1);
                let reason = format!("{}: {}", error.doing, error.source);
                work.drain(..).for_each(|work| work.answer(Some(&reason)));
            }
        }
    }

    fn run_in_transaction(&mut self, work: &mut [Box<dyn Work>]) -> Result<(), Failure> {
        self.execute("BEGIN IMMEDIATE")
            .map_err(StoreError::while_doing("opening a transaction"))
            .map_err(Failure::OfCommit)?;
        let mut outcome = work.iter_mut().try_for_each(|work| work.run(self));
        if outcome.is_ok() {
            outcome = self.write_behind();
        }
        let outcome = outcome.map_err(Failure::OfWork).and_then(|()| {
            self.execute("COMMIT")
                .map_err(StoreError::while_doing("committing"))
                .map_err(Failure::OfCommit)
        });
        match &outcome {
            Ok(()) => self.committed(),
            Err(_) => self.taken_back(),
        }
        outcome
    }

    fn execute(&self, statement: &str) -> rusqlite::Result<()> {
        self.db.prepare_cached(statement)?.execute([]).map(drop)
    }

    /// The commit is on disk: now readers may see its messages.
    fn committed(&mut self) {
        for room in self.batch.places_written.drain(..) {
            self.places.written(room);
        }
        for (room, id, sender) in self.batch.messages.drain(..) {
            self.newest = self.newest.max(id);
            self.unwritten += 1;
            self.places.append(room, id, sender);
        }
        self.batch.said.drain(..).for_each(|said| self.first_pages.posted(said));
        self.batch.changed_rooms.drain(..).for_each(|room| self.first_pages.drop_room(room));
        if self.batch.changes_profiles {
            self.first_pages.drop_all();
        }
        self.first_pages.bound();
        self.batch.clear();
        self.places.forget_some();
    }

    fn taken_back(&mut self) {
        if !self.db.is_autocommit() {
            // If this fails too, the next BEGIN says so.
            let _ = self.execute("ROLLBACK");
        }
        self.memory = Memory::default();
        self.batch.clear();
        // What was on its way to disk may not have arrived: start over.
        self.behind = WritingBehind::default();
        self.unwritten = limits::PLACES_UNWRITTEN_MAX;
    }

    /// Writes the places of some rooms, once enough messages came together (D-0016).
    fn write_behind(&mut self) -> Result<(), StoreError> {
        if self.behind.up_to.is_none() {
            if self.unwritten < limits::PLACES_UNWRITTEN_MAX {
                return Ok(());
            }
            self.start_writing_behind();
        }
        self.write_some_places(PLACES_ROOMS_PER_COMMIT)
    }

    fn start_writing_behind(&mut self) {
        self.unwritten = 0;
        self.behind.rooms = self.places.unwritten().into();
        self.behind.up_to = Some(self.newest);
    }

    fn write_some_places(&mut self, rooms_max: usize) -> Result<(), StoreError> {
        let doing = "writing where messages are";
        for _ in 0..rooms_max {
            let Some(room) = self.behind.rooms.pop_front() else { break };
            let Some(tail) = self.places.tail(room) else { continue };
            places_on_disk::write(&self.db, room, &tail).map_err(StoreError::while_doing(doing))?;
            self.batch.places_written.push(room);
        }
        if let Some(up_to) = self.behind.up_to.take_if(|_| self.behind.rooms.is_empty()) {
            places_on_disk::set_written_up_to(&self.db, up_to)
                .map_err(StoreError::while_doing(doing))?;
        }
        Ok(())
    }

    /// Leaves nothing to be read again at the next start.
    fn finish(&mut self) -> Result<(), StoreError> {
        self.start_writing_behind();
        let doing = "closing the database";
        self.execute("BEGIN IMMEDIATE").map_err(StoreError::while_doing(doing))?;
        self.write_some_places(usize::MAX)?;
        self.execute("COMMIT").map_err(StoreError::while_doing(doing))?;
        self.db
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(StoreError::while_doing(doing))
    }
}

enum Failure {
    OfWork(StoreError),
    OfCommit(StoreError),
}

/// A piece of work for the writer, and whoever waits for it.
trait Work: Send {
    /// Runs within the open transaction and keeps its outcome.
    fn run(&mut self, writer: &mut Writer) -> Result<(), StoreError>;
    /// Answers: with the outcome, or with the reason why it was taken back.
    fn answer(self: Box<Self>, failure: Option<&str>);
}

struct Waiting<Outcome, Run> {
    run: Run,
    outcome: Option<Outcome>,
    answer: oneshot::Sender<Result<Outcome, StoreError>>,
}

impl<Outcome, Run> Work for Waiting<Outcome, Run>
where
    Outcome: Send,
    Run: FnMut(&mut Writer) -> Result<Outcome, StoreError> + Send,
{
    fn run(&mut self, writer: &mut Writer) -> Result<(), StoreError> {
        // A rule that panics is a defect, but not one that may stop the writer.
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.run)(writer)))
            .unwrap_or_else(|_| Err(StoreError::while_doing("deciding")("the rule panicked")))?;
        self.outcome = Some(outcome);
        Ok(())
    }

    fn answer(self: Box<Self>, failure: Option<&str>) {
        let outcome = match (failure, self.outcome) {
            (None, Some(outcome)) => Ok(outcome),
            (reason, _) => {
                let reason = reason.unwrap_or("there is no outcome").to_owned();
                Err(StoreError::while_doing("writing")(reason))
            }
        };
        // A caller that went away does not need an answer; what it asked for is done.
        let _ = self.answer.send(outcome);
    }
}

enum Order {
    Run(Box<dyn Work>),
    Close,
}

/// How the rest of the process reaches the writer.
pub(super) struct Handle {
    orders: mpsc::Sender<Order>,
    thread: Mutex<Option<JoinHandle<Result<(), StoreError>>>>,
}

impl Handle {
    /// Has the work run in the next commit. A full queue is refused at once, not waited for.
    pub(super) async fn run<Outcome: Send + 'static>(
        &self,
        run: impl FnMut(&mut Writer) -> Result<Outcome, StoreError> + Send + 'static,
    ) -> Result<Outcome, StoreError> {
        let doing = "handing work to the writer";
        let (answer, answered) = oneshot::channel();
        let work = Box::new(Waiting { run, outcome: None, answer });
        self.orders
            .try_send(Order::Run(work))
            .map_err(|full_or_closed| StoreError::while_doing(doing)(full_or_closed.to_string()))?;
        answered.await.map_err(StoreError::while_doing(doing))?
    }

    /// Runs what waits, then closes.
    pub(super) async fn close(&self) -> Result<(), StoreError> {
        let doing = "closing the writer";
        let Some(thread) = self.thread.lock().take() else { return Ok(()) };
        // The thread may have ended already; joining it tells why.
        let _ = self.orders.send(Order::Close).await;
        let joined = tokio::task::spawn_blocking(move || thread.join()).await;
        joined
            .map_err(StoreError::while_doing(doing))?
            .map_err(|_| StoreError::while_doing(doing)("the writer panicked"))?
    }
}

/// Starts the writer thread; it holds the folder's lock until it ends.
pub(super) fn spawn(mut writer: Writer, lock: File) -> Result<Handle, StoreError> {
    let (orders, mut waiting) = mpsc::channel(limits::WRITE_QUEUE_MAX);
    let thread = std::thread::Builder::new()
        .name("store-writer".to_owned())
        .spawn(move || {
            let mut work = Vec::new();
            while let Some(order) = waiting.blocking_recv() {
                let is_open = take_waiting(order, &mut waiting, &mut work);
                writer.run_all(&mut work);
                if !is_open {
                    break;
                }
            }
            waiting.close();
            let finished = writer.finish();
            drop(lock);
            finished
        })
        .map_err(StoreError::while_doing("starting the writer"))?;
    Ok(Handle { orders, thread: Mutex::new(Some(thread)) })
}

/// Takes all that waits, up to the bound of a commit. False once the store is to be closed.
fn take_waiting(
    first: Order,
    waiting: &mut mpsc::Receiver<Order>,
    work: &mut Vec<Box<dyn Work>>,
) -> bool {
    let mut next = Some(first);
    while let Some(order) = next {
        match order {
            Order::Run(one) => work.push(one),
            Order::Close => return false,
        }
        if work.len() >= limits::COMMIT_WRITES_MAX {
            break;
        }
        next = waiting.try_recv().ok();
    }
    true
}
