//! Deliveries: those that a commit makes and records, all at once, and the reads of them.

use std::collections::HashMap;

use confab_domain::ids::{AppId, DeliveryId, EndpointId};
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{
    Attempt, BUCKETS, Backlog, Delivery, ErrorClass, Lane, Listed, Pending, Progress,
};
use tokio_postgres::Error;

use super::connection::Connection;
use super::pipeline::Pipeline;
use super::{Engine, Params, rows};
use crate::error::StoreError;
use crate::listing::{DeliveryListing, End, Found, LoggedAttempt, Mark};
use crate::sql::as_offset;
use crate::statements as sql;

type Read<T> = Result<T, StoreError>;

/// What one commit makes and records.
#[derive(Default)]
pub(super) struct Deliveries {
    pub(super) made: Vec<Delivery>,
    pub(super) recorded: Vec<Recorded>,
    pub(super) replayed: Vec<(Lane, DeliveryId, Timestamp)>,
}

/// An attempt of a delivery, and how far that brought it.
pub(super) struct Recorded {
    pub(super) delivery: DeliveryId,
    pub(super) lane: Lane,
    pub(super) attempt: Attempt,
    pub(super) progress: Progress,
}

impl Deliveries {
    pub(super) fn is_empty(&self) -> bool {
        self.made.is_empty() && self.recorded.is_empty() && self.replayed.is_empty()
    }

    pub(super) fn newest(&self) -> i64 {
        self.made.iter().map(|delivery| delivery.id.0).max().unwrap_or(0)
    }

    pub(super) fn write<'a>(&'a self, writes: &mut Pipeline<'a, u64>, db: &'a Connection) {
        if self.made.iter().any(|delivery| delivery.kind.is_counted()) {
            writes.add(self.set_sequences(db));
        }
        if !self.made.is_empty() {
            writes.add(self.insert(db));
        }
        if !self.recorded.is_empty() {
            writes.add(self.insert_attempts(db));
        }
        for round in rounds(&self.recorded) {
            writes.add(update(db, round));
        }
        // Last: what was asked for while an attempt ended is not undone by its record.
        if !self.replayed.is_empty() {
            writes.add(self.replay(db));
        }
    }

    async fn set_sequences(&self, db: &Connection) -> Result<u64, Error> {
        // One statement may not set a row twice.
        let mut last: HashMap<(i64, i64), i64> = HashMap::new();
        for delivery in self.made.iter().filter(|delivery| delivery.kind.is_counted()) {
            let far = last.entry((delivery.lane.0, delivery.endpoint.0)).or_default();
            *far = (*far).max(delivery.sequence as i64);
        }
        let mut last: Vec<_> = last.into_iter().collect();
        // In one order on all nodes, so that two of them do not wait for each other.
        last.sort_unstable();
        let lanes: Vec<_> = last.iter().map(|((lane, _), _)| *lane).collect();
        let endpoints: Vec<_> = last.iter().map(|((_, endpoint), _)| *endpoint).collect();
        let sequences: Vec<_> = last.iter().map(|(_, sequence)| *sequence).collect();
        let statement = sql::POSTGRES_SET_SEQUENCES.postgres();
        db.execute(statement, &[&lanes, &endpoints, &sequences]).await
    }

    async fn insert(&self, db: &Connection) -> Result<u64, Error> {
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
        let params: Params<'_> = &[
            &buckets, &ids, &apps, &endpoints, &kinds, &lanes, &sequences, &times, &depths, &bodies,
        ];
        db.execute(sql::POSTGRES_INSERT_DELIVERIES.postgres(), params).await
    }

    async fn insert_attempts(&self, db: &Connection) -> Result<u64, Error> {
        let attempts = || self.recorded.iter().map(|it| &it.attempt);
        let phase = |phase: usize| -> Vec<Option<i64>> {
            attempts().map(|it| it.phases_us[phase].map(i64::from)).collect()
        };
        let buckets: Vec<_> = self.recorded.iter().map(|it| it.lane.bucket()).collect();
        let deliveries: Vec<_> = self.recorded.iter().map(|it| it.delivery.0).collect();
        let numbers: Vec<_> = attempts().map(|it| i64::from(it.number)).collect();
        let times: Vec<_> = attempts().map(|it| it.at.0).collect();
        let errors: Vec<_> = attempts().map(|it| it.error.map(ErrorClass::as_str)).collect();
        let statuses: Vec<_> = attempts().map(|it| it.status.map(i64::from)).collect();
        let peers: Vec<_> = attempts().map(|it| it.peer.as_deref()).collect();
        let (names, connects, tls) = (phase(0), phase(1), phase(2));
        let (heads, bodies) = (phase(3), phase(4));
        let answers: Vec<_> = attempts().map(|it| it.answer.as_str()).collect();
        let params: Params<'_> = &[
            &buckets,
            &deliveries,
            &numbers,
            &times,
            &errors,
            &statuses,
            &peers,
            &names,
            &connects,
            &tls,
            &heads,
            &bodies,
            &answers,
        ];
        db.execute(sql::POSTGRES_INSERT_ATTEMPTS.postgres(), params).await
    }

    async fn replay(&self, db: &Connection) -> Result<u64, Error> {
        let buckets: Vec<_> = self.replayed.iter().map(|(lane, ..)| lane.bucket()).collect();
        let ids: Vec<_> = self.replayed.iter().map(|(_, id, _)| id.0).collect();
        let times: Vec<_> = self.replayed.iter().map(|(.., at)| at.0).collect();
        db.execute(sql::POSTGRES_REPLAY.postgres(), &[&buckets, &ids, &times]).await
    }
}

/// What was recorded, each delivery once in a round: a statement changes a row only once.
fn rounds(recorded: &[Recorded]) -> Vec<Vec<&Recorded>> {
    let mut rounds: Vec<Vec<&Recorded>> = Vec::new();
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

async fn update(db: &Connection, recorded: Vec<&Recorded>) -> Result<u64, Error> {
    let progress = || recorded.iter().map(|it| &it.progress);
    let buckets: Vec<_> = recorded.iter().map(|it| it.lane.bucket()).collect();
    let ids: Vec<_> = recorded.iter().map(|it| it.delivery.0).collect();
    let standings: Vec<_> = progress().map(|it| it.standing.number()).collect();
    let attempts: Vec<_> = progress().map(|it| i64::from(it.attempts)).collect();
    let tries: Vec<_> = progress().map(|it| i64::from(it.tries)).collect();
    let since: Vec<_> = progress().map(|it| it.since.0).collect();
    let due: Vec<_> = progress().map(|it| it.due_at.0).collect();
    let failed: Vec<_> = progress().map(|it| it.failed_at.map(|at| at.0)).collect();
    let params: Params<'_> =
        &[&buckets, &ids, &standings, &attempts, &tries, &since, &due, &failed];
    db.execute(sql::POSTGRES_UPDATE_DELIVERIES.postgres(), params).await
}

impl Engine {
    /// See [`crate::Store::waiting_deliveries`].
    pub(crate) async fn waiting_deliveries(&self, buckets: &[i64], after: Mark) -> Read<Found> {
        let (doing, size) = ("reading what is to be delivered", limits::DELIVERIES_PER_LOOK);
        // Whatever this look does not see is written by a transaction that is under way now, or
        // begins later: the next look begins there.
        let under_way = sql::POSTGRES_OLDEST_UNDER_WAY.postgres();
        let rows = self.readers.query(doing, under_way, &[]).await?;
        let mark = Mark(rows::get(&rows[0], 0)?);
        let mut deliveries: Vec<Pending> = Vec::new();
        let buckets = buckets.to_vec();
        // After a restore or a fail-over transactions may be counted from an earlier one on.
        let after = if after.0 > mark.0 { Mark::default() } else { after };
        let (mut mark_before, mut id_before) = (after.0, 0_i64);
        loop {
            let params: Params<'_> = &[&buckets, &mark_before, &id_before, &(size as i64)];
            let text = sql::POSTGRES_WAITING.postgres();
            let rows = self.readers.query(doing, text, params).await?;
            for row in &rows {
                deliveries.push(rows::pending(row)?);
            }
            match rows.last() {
                Some(row) if rows.len() == size => {
                    (id_before, mark_before) = (rows::get(row, 0)?, rows::get(row, 12)?);
                }
                _ => return Ok(Found { deliveries, mark }),
            }
        }
    }

    /// See [`crate::Store::deliveries`].
    pub(crate) async fn deliveries(
        &self,
        ids: &[(Lane, DeliveryId)],
    ) -> Read<Vec<(Delivery, Progress)>> {
        let (buckets, ids) = ids.iter().map(|(lane, id)| (lane.bucket(), id.0)).unzip();
        self.deliveries_in(buckets, ids).await
    }

    /// The delivery, wherever it is.
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
        let text = sql::POSTGRES_DELIVERIES.postgres();
        let rows = self.readers.query("reading deliveries", text, &[&buckets, &ids]).await?;
        rows.iter().map(|row| rows::delivery(row, &self.sealer)).collect()
    }

    pub(crate) async fn attempts(&self, lane: Lane, delivery: DeliveryId) -> Read<Vec<Attempt>> {
        let key: Params<'_> = &[&lane.bucket(), &delivery.0];
        let text = sql::POSTGRES_ATTEMPTS.postgres();
        let rows = self.readers.query("reading attempts", text, key).await?;
        rows.iter().map(rows::attempt).collect()
    }

    /// See [`crate::Store::listed_deliveries`].
    pub(crate) async fn listed_deliveries(
        &self,
        app: AppId,
        listing: DeliveryListing,
    ) -> Read<Vec<Listed>> {
        let text = match listing.from_end {
            End::Newest => &sql::POSTGRES_NEWEST_DELIVERIES,
            End::Oldest => &sql::POSTGRES_OLDEST_DELIVERIES,
        };
        let (least, end) = listing.ids;
        let params: Params<'_> = &[&app.0, &least.0, &end.0, &(listing.size as i64)];
        let rows = self.listers.query("listing deliveries", text.postgres(), params).await?;
        rows.iter().map(rows::listed).collect()
    }

    /// See [`crate::Store::logged_attempts`].
    pub(crate) async fn logged_attempts(
        &self,
        app: AppId,
        skipped: u64,
        size: usize,
    ) -> Read<Vec<LoggedAttempt>> {
        let params: Params<'_> = &[&app.0, &(size as i64), &as_offset(skipped)];
        let text = sql::POSTGRES_ATTEMPTS_OF_APP.postgres();
        let rows = self.listers.query("listing attempts", text, params).await?;
        let logged = |row| {
            let delivery = rows::get(row, 11)?;
            Ok(LoggedAttempt {
                attempt: rows::attempt(row)?,
                delivery: DeliveryId(delivery),
                endpoint: EndpointId(rows::get(row, 12)?),
                body: self.sealer.open_body(delivery, rows::get(row, 13)?)?,
            })
        };
        rows.iter().map(logged).collect()
    }

    /// See [`crate::Store::backlogs`].
    pub(crate) async fn backlogs(&self, app: AppId) -> Read<Vec<Backlog>> {
        let params: Params<'_> = &[&app.0, &(limits::BACKLOG_COUNTED_MAX as i64)];
        let text = sql::BACKLOGS.postgres();
        let rows = self.listers.query("counting what waits", text, params).await?;
        let backlog = |row| {
            Ok(Backlog {
                endpoint: EndpointId(rows::get(row, 0)?),
                waiting: rows::get::<i64>(row, 1)? as u64,
                oldest: Timestamp(rows::get(row, 2)?),
            })
        };
        rows.iter().map(backlog).collect()
    }
}
