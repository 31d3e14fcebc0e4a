//! Deliveries: batched writes of a commit, and reads.

use std::collections::{HashMap, HashSet};
use std::iter;

use confab_domain::ids::DeliveryId;
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{Attempt, BUCKETS, Delivery, ErrorClass, Lane, Progress};

use crate::error::Read;
use crate::postgres::connections::connection::{Connection, Params};
use crate::postgres::connections::pipeline::{OwnedParams, Pipeline, params};
use crate::postgres::{Engine, sharding};
use crate::reading::listing::{ScanMark, ScannedDeliveries};
use crate::sql::{Row, statements};
use crate::tables::attempts::{POSTGRES_INSERT_ATTEMPT, POSTGRES_INSERT_ATTEMPTS};
use crate::tables::deliveries::{
    self, POSTGRES_DELIVERIES, POSTGRES_INSERT_DELIVERIES, POSTGRES_REPLAY,
    POSTGRES_UPDATE_DELIVERIES, POSTGRES_WAITING, POSTGRES_WAITING_WHOLE,
};
use crate::tables::lanes::POSTGRES_SET_SEQUENCES;

statements! {
    OLDEST_UNDER_WAY = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint";
}

/// New deliveries, recorded attempts and replays that one commit writes.
#[derive(Default)]
pub(crate) struct Deliveries {
    pub(crate) made: Vec<Delivery>,
    pub(crate) recorded: Vec<RecordedAttempt>,
    pub(crate) replayed: Vec<(Lane, DeliveryId, Timestamp)>,
}

/// An attempt to be recorded, and the delivery's progress after it.
pub(crate) struct RecordedAttempt {
    pub(crate) delivery: DeliveryId,
    pub(crate) lane: Lane,
    pub(crate) attempt: Attempt,
    pub(crate) progress: Progress,
}

impl Deliveries {
    pub(crate) fn is_empty(&self) -> bool {
        self.made.is_empty() && self.recorded.is_empty() && self.replayed.is_empty()
    }

    pub(crate) fn newest(&self) -> i64 {
        self.made.iter().map(|delivery| delivery.id.0).max().unwrap_or(0)
    }

    pub(crate) fn write<'a>(&'a self, db: &Connection, writes: &mut Pipeline<'a>) {
        if self.made.iter().any(|delivery| delivery.kind.is_counted()) {
            writes.execute(&POSTGRES_SET_SEQUENCES, self.sequences());
        }
        if !self.made.is_empty() {
            writes.execute(&POSTGRES_INSERT_DELIVERIES, self.made_rows());
        }
        if sharding::inserts_one_by_one(db, self.recorded.iter().map(|it| it.lane.bucket())) {
            for recorded in &self.recorded {
                writes.execute(&POSTGRES_INSERT_ATTEMPT, attempt_row(recorded));
            }
        } else if !self.recorded.is_empty() {
            writes.execute(&POSTGRES_INSERT_ATTEMPTS, self.attempt_rows());
        }
        for round in rounds(&self.recorded) {
            writes.execute(&POSTGRES_UPDATE_DELIVERIES, progress_rows(&round));
        }
        // Replays come last: the record of an attempt must not undo a replay requested during it.
        if !self.replayed.is_empty() {
            writes.execute(&POSTGRES_REPLAY, self.replayed_rows());
        }
    }

    fn sequences(&self) -> OwnedParams<'_> {
        // One statement cannot set a row twice.
        let mut last: HashMap<(i64, i64), i64> = HashMap::new();
        for delivery in self.made.iter().filter(|delivery| delivery.kind.is_counted()) {
            let far = last.entry((delivery.lane.0, delivery.endpoint.0)).or_default();
            *far = (*far).max(delivery.sequence as i64);
        }
        let mut last: Vec<_> = last.into_iter().collect();
        // The same order on all nodes, so that two of them never deadlock.
        last.sort_unstable();
        let lanes: Vec<_> = last.iter().map(|((lane, _), _)| *lane).collect();
        let endpoints: Vec<_> = last.iter().map(|((_, endpoint), _)| *endpoint).collect();
        let sequences: Vec<_> = last.iter().map(|(_, sequence)| *sequence).collect();
        params![lanes, endpoints, sequences]
    }

    fn made_rows(&self) -> OwnedParams<'_> {
        let made = &self.made;
        let buckets: Vec<_> = made.iter().map(|it| it.lane.bucket()).collect();
        let ids: Vec<_> = made.iter().map(|it| it.id.0).collect();
        let apps: Vec<_> = made.iter().map(|it| it.app.0).collect();
        let endpoints: Vec<_> = made.iter().map(|it| it.endpoint.0).collect();
        let kinds: Vec<_> = made.iter().map(|it| it.kind.as_str()).collect();
        let lanes: Vec<_> = made.iter().map(|it| it.lane.0).collect();
        let sequences: Vec<_> = made.iter().map(|it| it.sequence as i64).collect();
        let times: Vec<_> = made.iter().map(|it| it.created_at.0).collect();
        let depths: Vec<_> = made.iter().map(|it| i64::from(it.depth)).collect();
        let bodies: Vec<_> = made.iter().map(|it| &*it.body).collect();
        params![buckets, ids, apps, endpoints, kinds, lanes, sequences, times, depths, bodies]
    }

    fn attempt_rows(&self) -> OwnedParams<'_> {
        // One statement cannot set a row twice.
        let mut seen = HashSet::new();
        let is_first = |it: &&RecordedAttempt| seen.insert((it.delivery, it.attempt.number));
        let recorded: Vec<&RecordedAttempt> = self.recorded.iter().filter(is_first).collect();
        let attempts = || recorded.iter().map(|it| &it.attempt);
        let phase = |phase: usize| -> Vec<Option<i64>> {
            attempts().map(|it| it.phases_us[phase].map(i64::from)).collect()
        };
        let buckets: Vec<_> = recorded.iter().map(|it| it.lane.bucket()).collect();
        let deliveries: Vec<_> = recorded.iter().map(|it| it.delivery.0).collect();
        let numbers: Vec<_> = attempts().map(|it| i64::from(it.number)).collect();
        let times: Vec<_> = attempts().map(|it| it.at.0).collect();
        let errors: Vec<_> = attempts().map(|it| it.error.map(ErrorClass::as_str)).collect();
        let statuses: Vec<_> = attempts().map(|it| it.status.map(i64::from)).collect();
        let peers: Vec<_> = attempts().map(|it| it.peer.as_deref()).collect();
        let (names, connects, tls) = (phase(0), phase(1), phase(2));
        let (heads, bodies) = (phase(3), phase(4));
        let answers: Vec<_> = attempts().map(|it| it.answer.as_str()).collect();
        let urls: Vec<_> = attempts().map(|it| it.url.as_deref()).collect();
        let headers: Vec<_> = attempts().map(|it| it.headers.as_deref()).collect();
        params![
            buckets, deliveries, numbers, times, errors, statuses, peers, names, connects, tls,
            heads, bodies, answers, urls, headers,
        ]
    }

    fn replayed_rows(&self) -> OwnedParams<'_> {
        let buckets: Vec<_> = self.replayed.iter().map(|(lane, ..)| lane.bucket()).collect();
        let ids: Vec<_> = self.replayed.iter().map(|(_, id, _)| id.0).collect();
        let times: Vec<_> = self.replayed.iter().map(|(.., at)| at.0).collect();
        params![buckets, ids, times]
    }
}

fn attempt_row(recorded: &RecordedAttempt) -> OwnedParams<'_> {
    let RecordedAttempt { delivery, lane, attempt, .. } = recorded;
    let phase = |phase: usize| attempt.phases_us[phase].map(i64::from);
    params![
        lane.bucket(),
        delivery.0,
        i64::from(attempt.number),
        attempt.at.0,
        attempt.error.map(ErrorClass::as_str),
        attempt.status.map(i64::from),
        attempt.peer.as_deref(),
        phase(0),
        phase(1),
        phase(2),
        phase(3),
        phase(4),
        attempt.answer.as_str(),
        attempt.url.as_deref(),
        attempt.headers.as_deref(),
    ]
}

/// Divides the records into rounds that contain each delivery at most once, because a single
/// statement can change a row only once.
fn rounds(recorded: &[RecordedAttempt]) -> Vec<Vec<&RecordedAttempt>> {
    let mut rounds: Vec<Vec<&RecordedAttempt>> = Vec::new();
    let mut before: HashMap<DeliveryId, usize> = HashMap::new();
    for one in recorded {
        let round = before.entry(one.delivery).or_default();
        if *round == rounds.len() {
            rounds.push(Vec::new());
        }
        rounds[*round].push(one);
        *round += 1;
    }
    rounds
}

fn progress_rows(recorded: &[&RecordedAttempt]) -> OwnedParams<'static> {
    let progress = || recorded.iter().map(|it| &it.progress);
    let buckets: Vec<_> = recorded.iter().map(|it| it.lane.bucket()).collect();
    let ids: Vec<_> = recorded.iter().map(|it| it.delivery.0).collect();
    let standings: Vec<_> = progress().map(|it| it.standing.number()).collect();
    let attempts: Vec<_> = progress().map(|it| i64::from(it.attempts)).collect();
    let tries: Vec<_> = progress().map(|it| i64::from(it.tries)).collect();
    let since: Vec<_> = progress().map(|it| it.since.0).collect();
    let due: Vec<_> = progress().map(|it| it.due_at.0).collect();
    let failed: Vec<_> = progress().map(|it| it.failed_at.map(|at| at.0)).collect();
    params![buckets, ids, standings, attempts, tries, since, due, failed]
}

impl Engine {
    /// Implements [`crate::Store::waiting_deliveries`].
    pub(crate) async fn waiting_deliveries(
        &self,
        buckets: &[i64],
        after: ScanMark,
    ) -> Read<ScannedDeliveries> {
        let doing = "reading deliveries";
        // Deliveries that this scan does not see are written by transactions that run now or start
        // later: the next scan begins there.
        let under_way = OLDEST_UNDER_WAY.postgres();
        let rows = self.readers.query(doing, under_way, &[]).await?;
        let mark = ScanMark(rows[0].number(0)?);
        let mut found = ScannedDeliveries { deliveries: Vec::new(), whole: Vec::new(), mark };
        let buckets = buckets.to_vec();
        // After a restore or a failover, transaction numbers may restart from a lower value.
        let after = if after.0 > mark.0 { ScanMark::default() } else { after };
        let (mut mark_before, mut id_before) = (after.0, 0_i64);
        let first = (&POSTGRES_WAITING_WHOLE, limits::WHOLE_PER_READ, deliveries::WHOLE_MARK);
        let others = (&POSTGRES_WAITING, limits::DELIVERIES_PER_READ, deliveries::MARK);
        for (text, size, mark_at) in iter::once(first).chain(iter::repeat(others)) {
            let params: Params<'_> = &[&buckets, &mark_before, &id_before, &(size as i64)];
            let rows = self.readers.query(doing, text.postgres(), params).await?;
            for row in &rows {
                let pending = deliveries::pending(row)?;
                found.deliveries.push(pending);
                if mark_at == deliveries::WHOLE_MARK && pending.progress.attempts == 0 {
                    // A body that cannot be opened fails at its own attempt and delays no earlier
                    // delivery.
                    found.whole.extend(deliveries::row(row, &self.sealer).ok().map(|it| it.0));
                }
            }
            match rows.last() {
                Some(row) if rows.len() == size => {
                    (id_before, mark_before) = (row.number(0)?, row.number(mark_at)?);
                }
                _ => break,
            }
        }
        Ok(found)
    }

    /// Implements [`crate::Store::deliveries`].
    pub(crate) async fn deliveries(
        &self,
        ids: &[(Lane, DeliveryId)],
    ) -> Read<Vec<(Delivery, Progress)>> {
        let (buckets, ids) = ids.iter().map(|(lane, id)| (lane.bucket(), id.0)).unzip();
        self.deliveries_in(buckets, ids).await
    }

    /// Finds a delivery by its id alone, without its bucket.
    pub(crate) async fn delivery_in_any_bucket(
        &self,
        delivery: DeliveryId,
    ) -> Read<Vec<(Delivery, Progress)>> {
        self.deliveries_in((0..BUCKETS).collect(), vec![delivery.0; BUCKETS as usize]).await
    }

    async fn deliveries_in(
        &self,
        buckets: Vec<i64>,
        ids: Vec<i64>,
    ) -> Read<Vec<(Delivery, Progress)>> {
        let text = POSTGRES_DELIVERIES.postgres();
        let rows = self.readers.query("reading deliveries", text, &[&buckets, &ids]).await?;
        rows.iter().map(|row| deliveries::row(row, &self.sealer)).collect()
    }
}
