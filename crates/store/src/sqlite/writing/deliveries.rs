//! Deliveries and attempts: writes within the writer's transaction, and scans for the delivery
//! engine.

use confab_domain::ids::DeliveryId;
use confab_domain::limits;
use confab_domain::webhooks::delivery::{
    Attempt, Delivery, DeliveryHead, ErrorClass, Lane, Progress,
};
use rusqlite::{Connection, OptionalExtension, Result, params};

use crate::error::Read;
use crate::reading::listing::{ScanMark, ScannedDeliveries};
use crate::secrets::sealer::{Sealer, SecretLocation};
use crate::sql::texts;
use crate::sqlite::reading::reads::{Reads, reading};
use crate::tables::attempts::SQLITE_INSERT_ATTEMPT;
use crate::tables::deliveries::{
    self, SQLITE_DELIVERY, SQLITE_INSERT_DELIVERY, SQLITE_REPLAY, SQLITE_UPDATE_DELIVERY,
    SQLITE_WAITING, SQLITE_WAITING_WHOLE,
};
use crate::tables::lanes::SQLITE_SET_SEQUENCE;

texts! {
    FORGET_SOME = "SELECT max(id) FROM ( \
        SELECT id FROM deliveries WHERE id < $1 AND standing >= 2 ORDER BY id LIMIT $2)";
    FORGET_ATTEMPTS = "DELETE FROM attempts WHERE delivery <= $1 AND NOT EXISTS ( \
        SELECT 1 FROM deliveries d WHERE d.id = attempts.delivery AND +d.standing < 2)";
    FORGET_DELIVERIES = "DELETE FROM deliveries WHERE id <= $1 AND standing >= 2";
}

pub(crate) fn insert(db: &Connection, delivery: &Delivery, sealer: &Sealer) -> Result<()> {
    let Delivery { id, app, endpoint, kind, lane, sequence, created_at, depth, body } = delivery;
    let sequence = *sequence as i64;
    let sealed = kind.holds_key().then(|| sealer.seal(SecretLocation::DeliveryBody(id.0), body));
    if kind.is_counted() {
        let far = [lane.0, endpoint.0, sequence];
        db.prepare_cached(SQLITE_SET_SEQUENCE.sqlite())?.execute(far)?;
    }
    db.prepare_cached(SQLITE_INSERT_DELIVERY.sqlite())?
        .execute(params![
            id.0,
            app.0,
            endpoint.0,
            kind.as_str(),
            lane.0,
            sequence,
            created_at.0,
            depth,
            sealed.as_deref().unwrap_or(body),
        ])
        .map(drop)
}

/// Records an attempt of a delivery, and the delivery's progress after it.
pub(crate) fn record(
    db: &Connection,
    delivery: DeliveryId,
    attempt: &Attempt,
    progress: &Progress,
) -> Result<()> {
    insert_attempt(db, delivery, attempt)?;
    update(db, delivery, progress)
}

fn insert_attempt(db: &Connection, delivery: DeliveryId, attempt: &Attempt) -> Result<()> {
    let [name, connect, tls, head, body] = attempt.phases_us;
    db.prepare_cached(SQLITE_INSERT_ATTEMPT.sqlite())?
        .execute(params![
            delivery.0,
            attempt.number,
            attempt.at.0,
            attempt.error.map(ErrorClass::as_str),
            attempt.status,
            attempt.peer,
            name,
            connect,
            tls,
            head,
            body,
            attempt.answer,
            attempt.url,
            attempt.headers,
        ])
        .map(drop)
}

fn update(db: &Connection, delivery: DeliveryId, progress: &Progress) -> Result<()> {
    let Progress { standing, attempts, tries, since, due_at, failed_at } = progress;
    let (standing, failed_at) = (standing.number(), failed_at.map(|at| at.0));
    let row = params![delivery.0, standing, attempts, tries, since.0, due_at.0, failed_at];
    db.prepare_cached(SQLITE_UPDATE_DELIVERY.sqlite())?.execute(row).map(drop)
}

/// Restarts a delivery from the beginning of its retry schedule.
pub(crate) fn replay(db: &Connection, row: [i64; 3]) -> Result<()> {
    db.prepare_cached(SQLITE_REPLAY.sqlite())?.execute(row).map(drop)
}

/// Deletes the oldest finished deliveries created before this one, at most as many as one commit
/// may delete, and returns their number.
pub(crate) fn purge(db: &Connection, before: DeliveryId) -> Result<usize> {
    let some = [before.0, limits::PURGED_PER_COMMIT as i64];
    let mut oldest = db.prepare_cached(FORGET_SOME.sqlite())?;
    let last: Option<i64> = oldest.query_row(some, |row| row.get(0))?;
    let Some(last) = last else { return Ok(0) };
    db.prepare_cached(FORGET_ATTEMPTS.sqlite())?.execute([last])?;
    db.prepare_cached(FORGET_DELIVERIES.sqlite())?.execute([last])
}

impl Reads<'_> {
    /// Returns a page of unfinished deliveries after this mark and id, and the mark and id of its
    /// last one.
    pub(crate) fn waiting_page(
        &self,
        after: (ScanMark, DeliveryId),
        size: usize,
    ) -> Read<(Vec<DeliveryHead>, (ScanMark, DeliveryId))> {
        let page = || -> Result<(Vec<DeliveryHead>, (ScanMark, DeliveryId))> {
            let mut statement = self.connection.prepare_cached(SQLITE_WAITING.sqlite())?;
            let (mark, id) = after;
            let mut rows = statement.query([mark.0, id.0, size as i64])?;
            let (mut found, mut last) = (Vec::new(), after);
            while let Some(row) = rows.next()? {
                found.push(deliveries::pending(row)?);
                last = (ScanMark(row.get(deliveries::MARK)?), DeliveryId(row.get(0)?));
            }
            Ok((found, last))
        };
        reading("reading deliveries", page())
    }

    /// Returns the first page of unfinished deliveries after this mark and id, and the id of its
    /// last one. Deliveries without attempts are included with their content, too.
    pub(crate) fn waiting_whole(
        &self,
        after: (ScanMark, DeliveryId),
        size: usize,
    ) -> Read<(ScannedDeliveries, DeliveryId)> {
        let page = || -> Result<(ScannedDeliveries, DeliveryId)> {
            let mut statement = self.connection.prepare_cached(SQLITE_WAITING_WHOLE.sqlite())?;
            let (mark, mut last) = after;
            let mut rows = statement.query([mark.0, last.0, size as i64])?;
            let mut found = ScannedDeliveries { deliveries: Vec::new(), whole: Vec::new(), mark };
            while let Some(row) = rows.next()? {
                let pending = deliveries::pending(row)?;
                found.deliveries.push(pending);
                if pending.progress.attempts == 0 {
                    // A body that cannot be opened fails at its own attempt and delays no earlier
                    // delivery.
                    found.whole.extend(deliveries::row(row, self.sealer).ok().map(|it| it.0));
                }
                (found.mark, last) =
                    (ScanMark(row.get(deliveries::WHOLE_MARK)?), DeliveryId(row.get(0)?));
            }
            Ok((found, last))
        };
        reading("reading deliveries", page())
    }

    pub(crate) fn deliveries(&self, ids: &[(Lane, DeliveryId)]) -> Read<Vec<(Delivery, Progress)>> {
        let read = || -> Result<Vec<(Delivery, Progress)>> {
            let mut statement = self.connection.prepare_cached(SQLITE_DELIVERY.sqlite())?;
            let one = |id: &(Lane, DeliveryId)| {
                let delivery = |row: &rusqlite::Row<'_>| deliveries::row(row, self.sealer);
                statement.query_row([id.1.0], delivery).optional().transpose()
            };
            ids.iter().filter_map(one).collect()
        };
        reading("reading deliveries", read())
    }
}
