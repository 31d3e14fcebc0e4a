//! Posts that are decided on cached facts, and written only if these facts are current (D-0165).
//!
//! One round trip opens the transaction, locks the rooms that match the cache, reads everything
//! else that the decisions depend on, and writes. If all cached facts were current, a second round
//! trip commits. Otherwise the transaction is rolled back, and the batch is decided again on loaded
//! facts. The batch is also decided again if a rule refuses, because only a write proves that its
//! facts are current.

use std::collections::{HashMap, HashSet};

use confab_domain::ids::UserKey;
use tokio::time::timeout;

use super::{ANSWER_WITHIN, DecisionBatch, NO_ANSWER, Writer, committed};
use crate::error::Read;
use crate::postgres::connections::connection::Connection;
use crate::postgres::connections::pipeline::{OwnedParams, Pipeline, params};
use crate::postgres::nodes::node::{Node, UNVERSIONED_COMMITS};
use crate::postgres::writing::asked::{USER_VERSIONS, by_texts};
use crate::postgres::writing::batch_facts::memory::{ExpectedRoom, Memory};
use crate::postgres::writing::changes::Changes;
use crate::postgres::writing::failure::DatabaseFailure;
use crate::sql::Row;
use crate::tables::messages::POSTGRES_SET_LAST_IF_SAME;
use crate::writing::waiting::QueuedDecision;

/// Whether the cached facts turned out to be current before the commit.
enum Proof {
    True,
    /// The cache was stale; the transaction must not be committed.
    Untrue,
    /// The node has lost its number.
    NumberLost,
}

impl Writer {
    /// Attempts to decide and write the batch on cached facts. Returns false, without having
    /// written anything, if the batch must be decided on loaded facts.
    pub(super) async fn write_upon_memory(
        &mut self,
        batch: &mut DecisionBatch,
    ) -> Result<bool, DatabaseFailure> {
        let (Some(db), Some(node)) = (&self.session, self.node.as_mut()) else { return Ok(false) };
        if db.is_sharding() {
            return Ok(false);
        }
        let found = self.memory.facts(&self.room_names, &batch.decisions);
        let Some(mut found) = found else { return Ok(false) };
        let changes = batch.decide(&mut found, &*self.stamps, &self.listeners, &self.sealer);
        if !batch.all_changed || !changes.only_posts() {
            return Ok(false);
        }
        self.newest_id = self.newest_id.max(changes.newest_id());
        let sending = send(db, node, &mut self.memory, &changes, &batch.decisions, self.newest_id);
        let no_answer = |_| DatabaseFailure::Unwell(NO_ANSWER.into());
        let proof = match timeout(ANSWER_WITHIN, sending).await.map_err(no_answer)? {
            // Another node posted at the same moment.
            Err(DatabaseFailure::Conflict(_)) => Proof::Untrue,
            proof => proof?,
        };
        match proof {
            Proof::True => {}
            Proof::Untrue => {
                self.roll_back().await;
                return Ok(false);
            }
            Proof::NumberLost => return Err(self.number_lost()),
        }
        batch.prove_by(&changes);
        drop(db.take_warning());
        committed(db, db.run("COMMIT")).await?;
        self.has_committed();
        for (room, last) in changes.last_in_rooms() {
            self.memory.posted(room, last);
        }
        Ok(true)
    }
}

/// Sends all statements except the COMMIT, and checks whether the cached facts were current.
async fn send<'a>(
    db: &'a Connection,
    node: &mut Node,
    memory: &mut Memory,
    changes: &'a Changes,
    decisions: &'a [Box<dyn QueuedDecision>],
    newest_id: i64,
) -> Result<Proof, DatabaseFailure> {
    let rooms = changes.last_in_rooms();
    let expected: Option<Vec<_>> = rooms.keys().map(|room| memory.expected(*room)).collect();
    let Some(expected) = expected else { return Ok(Proof::Untrue) };
    let mut names = HashSet::new();
    for decision in decisions {
        let users = decision.question().users.iter();
        names.extend(users.map(|user| (decision.app(), user.as_str())));
    }
    let mut sent = Pipeline::new(db);
    sent.run("BEGIN");
    let marked = node.mark_and_note(&mut sent, newest_id);
    let locked = sent.execute(&POSTGRES_SET_LAST_IF_SAME, room_rows(changes, &expected));
    // Statements after the locks see everything written by their previous holders.
    let commits = sent.query(&UNVERSIONED_COMMITS, params![]);
    let users = by_texts(&mut sent, &USER_VERSIONS, &names);
    changes.send_posts(&mut sent);
    let mut answers = sent.answers().await?;
    if answers.changed(marked) != 1 {
        return Ok(Proof::NumberLost);
    }
    let is_versioned = memory.is_versioned(answers.rows(commits)[0].number(0)?);
    let versions = user_versions(&answers.rows(users))?;
    if !memory.are_all(&versions, decisions) {
        memory.evict_users();
        return Ok(Proof::Untrue);
    }
    let is_locked = answers.changed(locked) == rooms.len() as u64;
    Ok(if is_versioned && is_locked { Proof::True } else { Proof::Untrue })
}

fn room_rows(changes: &Changes, expected: &[ExpectedRoom]) -> OwnedParams<'static> {
    let last = changes.last_in_rooms();
    let rooms: Vec<_> = last.keys().map(|room| room.0).collect();
    let ids: Vec<_> = last.values().map(|last| last.id.0).collect();
    let numbers: Vec<_> = last.values().map(|last| last.number as i64).collect();
    let before: Vec<_> = expected.iter().map(|room| room.last_message).collect();
    let versions: Vec<_> = expected.iter().map(|room| room.version).collect();
    params![rooms, ids, numbers, before, versions]
}

fn user_versions(rows: &[tokio_postgres::Row]) -> Read<HashMap<UserKey, i64>> {
    rows.iter().map(|row| Ok((UserKey(row.number(0)?), row.number(1)?))).collect()
}
