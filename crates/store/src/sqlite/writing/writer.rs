//! The writer thread: many decisions, one commit, one fsync.
//!
//! It takes all queued decisions, runs each of them in one transaction, commits, and only then
//! answers the callers. If a decision fails in the store, the transaction is rolled back and each
//! decision runs again in a transaction of its own, so that one cannot fail the others; rules are
//! pure, so running them twice is harmless. If a commit fails, all its callers get the error and
//! all caches are cleared.

use std::collections::VecDeque;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use confab_domain::decision::change::{Change, RoomChange};
use confab_domain::decision::commit_event::CommitEvent;
use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::{DeliveryId, MessageId, RoomId};
use confab_domain::limits;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::batch::Batch;
use super::facts::Sources;
use super::memory::Memory;
use super::{changes, deliveries};
use crate::error::{Fault, StoreError, StoreProblem};
use crate::secrets::sealer::Sealer;
use crate::sqlite::connections::native;
use crate::sqlite::data_folder::mark::NewestMark;
use crate::sqlite::maintenance::checkpoints::Checkpoints;
use crate::sqlite::message_index::places::{MessagePlaces, Tail};
use crate::sqlite::message_index::places_on_disk;
use crate::sqlite::reading::first_pages::FirstPages;
use crate::writing::readiness::Readiness;
use crate::writing::waiting::{Answers, CommitListeners, QueueBatch, QueuedDecision, WriterThread};

/// Maximum number of rooms whose index of message numbers is written in one commit, so that the
/// commit is not delayed for long.
const PLACES_ROOMS_PER_COMMIT: usize = 256;

/// A write whose result is never read, to prove that commits work.
const PROVE: &str = "UPDATE write_checks SET number = number + 1 WHERE id = 1";

/// Progress of writing the index of message numbers to disk: the remaining rooms, and the message
/// up to which the index will then be complete.
#[derive(Default)]
struct WritingBehind {
    rooms: VecDeque<RoomId>,
    up_to: Option<MessageId>,
}

/// State of the writer thread.
pub(crate) struct Writer {
    db: Connection,
    mark: NewestMark,
    memory: Memory,
    places: Arc<MessagePlaces>,
    first_pages: Arc<FirstPages>,
    stamps: Arc<dyn Stamps>,
    sealer: Arc<Sealer>,
    listeners: CommitListeners,
    readiness: Arc<Readiness>,
    batch: Batch,
    newest: MessageId,
    unwritten: usize,
    behind: WritingBehind,
    checkpoints: Checkpoints,
}

impl Writer {
    pub(crate) fn new(
        (mut db, mark, path): (Connection, NewestMark, &Path),
        places: Arc<MessagePlaces>,
        first_pages: Arc<FirstPages>,
        stamps: Arc<dyn Stamps>,
        sealer: Arc<Sealer>,
        (listeners, readiness): (CommitListeners, Arc<Readiness>),
    ) -> Result<Self, StoreError> {
        let doing = "loading the index of message numbers";
        let unwritten = places_on_disk::rebuild(&db, &places);
        let unwritten = unwritten.map_err(StoreError::while_doing(doing))?;
        let newest = places_on_disk::newest_message(&db).map_err(StoreError::while_doing(doing))?;
        // All ids from now on are greater than the stored ones, even if the clock was set back.
        let newest_id = places_on_disk::newest_id(&db).map_err(StoreError::while_doing(doing))?;
        stamps.next_id(newest_id);
        let checkpoints = Checkpoints::start(&mut db, path, readiness.clone())?;
        Ok(Self {
            db,
            mark,
            memory: Memory::default(),
            places,
            first_pages,
            stamps,
            sealer,
            listeners,
            readiness,
            batch: Batch::default(),
            newest: MessageId(newest),
            unwritten,
            behind: WritingBehind::default(),
            checkpoints,
        })
    }

    /// Loads the facts, runs the rule and applies its changes to the open transaction.
    fn decide(&mut self, waiting: &mut dyn QueuedDecision) -> Result<(), StoreError> {
        let app = waiting.app();
        let Self { db, memory, places, batch, sealer, .. } = self;
        let facts = Sources { db, memory, places, batch, sealer }
            .facts(app, waiting.question())
            .map_err(StoreError::while_doing("loading the facts of a decision"))?;
        for change in &waiting.decide(&facts, &*self.stamps)? {
            changes::apply(&self.db, app, change, &self.sealer)
                .map_err(StoreError::while_doing("writing a decision"))?;
            self.memory.follow(app, change);
            if let Change::Room(RoomChange::Insert(room)) = change {
                // No question named the new room, so its places were not loaded; the next decision
                // may post to it.
                self.places.keep(room.id, Tail::empty());
            }
            self.batch.add(change);
            if self.listeners.are_open() {
                self.batch.news.extend(CommitEvent::of(change).map(|news| (app, news)));
            }
        }
        Ok(())
    }

    /// Commits a write whose result is never read, to prove that commits work.
    fn check(&self) -> Result<(), StoreError> {
        self.commit_alone("checking the database", |db| {
            db.prepare_cached(PROVE)?.execute([]).map(drop)
        })
    }

    /// Deletes some of the deliveries created before this one, and returns their number.
    fn purge(&self, before: DeliveryId) -> Result<usize, StoreError> {
        self.commit_alone("purging deliveries", |db| deliveries::purge(db, before))
    }

    /// Runs work that is no decision in a transaction of its own.
    fn commit_alone<T>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let done = || -> rusqlite::Result<T> {
            let transaction = Transaction::new_unchecked(&self.db, TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit().map(|()| done)
        };
        done().map_err(StoreError::while_doing(doing)).map_err(|error| {
            let BatchFailure { fault, .. } = self.failure(&error, true);
            StoreError::while_doing(doing)(fault)
        })
    }

    /// Writes the decisions in one transaction, and answers their callers when it is on disk.
    fn write_all(&mut self, mut decisions: Vec<Box<dyn QueuedDecision>>, answers: &Answers) {
        if decisions.is_empty() {
            return;
        }
        let started = Instant::now();
        match self.write_in_transaction(&mut decisions) {
            Ok(()) => {
                metrics::histogram!("confab_store_commit_writes").record(decisions.len() as f64);
                metrics::histogram!("confab_store_commit_seconds")
                    .record(started.elapsed().as_secs_f64());
                answers.send(decisions.into_iter().map(|it| (it, None)).collect());
                self.checkpoints.after_commit(&self.db);
            }
            Err(BatchFailure { is_of_commit: false, fault }) if decisions.len() > 1 => {
                self.note(&fault);
                for one in decisions {
                    self.write_all(vec![one], answers);
                }
            }
            Err(BatchFailure { is_of_commit, fault }) => {
                metrics::counter!("confab_store_failures_total").increment(1);
                match is_of_commit {
                    true => self.readiness.failed(&fault),
                    false => self.note(&fault),
                }
                let refused = decisions.into_iter().map(|it| (it, Some(fault.clone())));
                answers.send(refused.collect());
            }
        }
    }

    fn write_in_transaction(
        &mut self,
        decisions: &mut [Box<dyn QueuedDecision>],
    ) -> Result<(), BatchFailure> {
        self.execute("BEGIN IMMEDIATE")
            .map_err(StoreError::while_doing("opening a transaction"))
            .map_err(|error| self.failure(&error, true))?;
        let mut outcome = decisions.iter_mut().try_for_each(|one| self.decide(one.as_mut()));
        if outcome.is_ok() {
            outcome = self.write_behind();
        }
        let outcome = outcome.map_err(|error| self.failure(&error, false)).and_then(|()| {
            self.commit()
                .map_err(StoreError::while_doing("committing"))
                .map_err(|error| self.failure(&error, true))
        });
        match &outcome {
            Ok(()) => self.committed(),
            Err(_) => self.taken_back(),
        }
        outcome
    }

    /// Commits, and sets the mark to the newest message of the commit.
    fn commit(&self) -> rusqlite::Result<()> {
        self.execute("COMMIT")?;
        if let Some(newest) = self.batch.messages.iter().map(|(_, id, _)| id.0).max() {
            self.mark.set(newest);
        }
        if self.batch.has_changes {
            self.readiness.written();
        }
        Ok(())
    }

    /// Classifies an error. Must be called before the connection is used again.
    fn failure(&self, error: &StoreError, is_of_commit: bool) -> BatchFailure {
        let mut fault = error.fault();
        if fault.trouble == StoreProblem::Disk && native::has_no_room(&self.db) {
            fault.trouble = StoreProblem::Full;
        }
        BatchFailure { is_of_commit, fault }
    }

    /// Reports faults of the disk to the readiness check. Other failures concern only one decision.
    fn note(&self, fault: &Fault) {
        if fault.trouble != StoreProblem::Unavailable {
            self.readiness.failed(fault);
        }
    }

    fn execute(&self, statement: &str) -> rusqlite::Result<()> {
        self.db.prepare_cached(statement)?.execute([]).map(drop)
    }

    /// Publishes a commit that is on disk, so that readers see its messages.
    fn committed(&mut self) {
        for room in self.batch.places_written.drain(..) {
            self.places.written(room);
        }
        for (room, id, sender) in self.batch.messages.drain(..) {
            self.newest = self.newest.max(id);
            self.unwritten += 1;
            self.places.append(room, id, sender);
        }
        self.batch.posted.drain(..).for_each(|posted| self.first_pages.posted(posted));
        self.batch.changed_rooms.drain(..).for_each(|room| self.first_pages.drop_room(room));
        if self.batch.changes_profiles {
            self.first_pages.drop_all();
        }
        self.first_pages.bound();
        self.listeners.notify(std::mem::take(&mut self.batch.news));
        self.batch.clear();
        self.places.evict_some();
    }

    fn taken_back(&mut self) {
        if !self.db.is_autocommit() {
            // If this fails too, the next BEGIN reports it.
            let _ = self.execute("ROLLBACK");
        }
        self.memory = Memory::default();
        self.batch.clear();
        // Places may not have been written: start over.
        self.behind = WritingBehind::default();
        self.unwritten = limits::PLACES_UNWRITTEN_MAX;
    }

    /// Writes the index of message numbers for some rooms, once enough messages have accumulated
    /// (D-0016).
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
        let doing = "writing the index of message numbers";
        for _ in 0..rooms_max {
            let Some(room) = self.behind.rooms.pop_front() else { break };
            let Some(tail) = self.places.tail(room) else { continue };
            places_on_disk::write(&self.db, room, &tail).map_err(StoreError::while_doing(doing))?;
            self.batch.places_written.push(room);
            self.batch.has_changes = true;
        }
        if let Some(up_to) = self.behind.up_to.take_if(|_| self.behind.rooms.is_empty()) {
            places_on_disk::set_written_up_to(&self.db, up_to)
                .map_err(StoreError::while_doing(doing))?;
            self.batch.has_changes = true;
        }
        Ok(())
    }

    /// Writes the whole index of message numbers and empties the write-ahead log, so that the next
    /// start need not rebuild the index.
    fn finish(&mut self) -> Result<(), StoreError> {
        self.checkpoints.stop();
        self.start_writing_behind();
        let doing = "closing the database";
        self.execute("BEGIN IMMEDIATE").map_err(StoreError::while_doing(doing))?;
        self.write_some_places(usize::MAX)?;
        self.commit().map_err(StoreError::while_doing(doing))?;
        self.db
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(StoreError::while_doing(doing))
    }
}

/// Reason why decisions were not written: the commit failed (`is_of_commit`), or one of the
/// decisions.
struct BatchFailure {
    is_of_commit: bool,
    fault: Fault,
}

/// Starts the writer thread, which holds the folder's lock until it ends.
pub(crate) fn start(mut writer: Writer, lock: File) -> Result<WriterThread, StoreError> {
    WriterThread::start(move |mut waiting, answers| {
        while let Some(order) = waiting.blocking_recv() {
            let taken = QueueBatch::all(order, &mut waiting);
            writer.write_all(taken.decisions, &answers);
            // The caller may be gone.
            taken.checks.into_iter().for_each(|check| drop(check.send(writer.check())));
            for (before, answer) in taken.forgets {
                let _ = answer.send(writer.purge(before));
            }
            if taken.is_last {
                break;
            }
        }
        waiting.close();
        let finished = writer.finish();
        drop(lock);
        finished
    })
}
