//! Audit log (design/sign-in-and-limits).

use confab_domain::agents::agent::Person;
use confab_domain::audit::entry::{Actor, AuditEntry};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::purging;
use confab_domain::decision::question::Question;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{AgentId, AppId, AuditId};
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::time::Timestamp;

use crate::error::{Read, StoreError, WriteError};
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

prepared! {
    ADD_AUDIT = "INSERT INTO audit (app, id, at, actor, actor_kind, what, target_kind, target_id, \
        target_name, value_before, value_after, address) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    FORGET_AUDIT = "DELETE FROM audit WHERE at < $1";
}

statements! {
    OLDEST_AUDIT = "SELECT at FROM audit WHERE at < $1 ORDER BY at LIMIT $2";
    // A subject (`agent`) matches all of its deeds (`agent.created`).
    AUDIT = "SELECT a.id, a.at, a.actor, d.name, a.actor_kind, a.what, a.target_kind, \
        a.target_id, a.target_name, a.value_before, a.value_after, a.address \
        FROM audit a LEFT JOIN dashboard_users d ON d.id = a.actor \
        WHERE a.app = $1 AND a.id < $2 AND a.at >= $3 AND a.at < $4 \
        AND (a.actor = $5 OR $5 = 0) \
        AND (a.what = $6 OR $6 = '' OR substr(a.what, 1, length($6) + 1) = $6 || '.') \
        ORDER BY a.id DESC LIMIT $7";
}

/// Filter of audit entries, which are listed newest first.
#[derive(Debug, Clone)]
pub struct AuditListing {
    pub before: AuditId,
    pub actor: Option<AgentId>,
    /// Action (`agent.created`), or kind of the target (`agent`).
    pub what: Option<String>,
    pub from: Timestamp,
    /// End of the time range, exclusive.
    pub until: Timestamp,
}

/// A stored audit entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    pub id: AuditId,
    pub at: Timestamp,
    pub actor: Option<Person>,
    pub actor_kind: String,
    pub what: String,
    pub target_kind: String,
    pub target_id: String,
    pub target_name: Option<String>,
    pub before: Option<JsonText>,
    pub after: Option<JsonText>,
    pub address: Option<String>,
}

fn row(row: &ValueRow) -> Read<AuditRow> {
    let actor = match (row.maybe_number(2)?, row.maybe_text(3)?) {
        (Some(id), name) => Some(Person { id: AgentId(id), name: name.unwrap_or_default() }),
        (None, _) => None,
    };
    Ok(AuditRow {
        id: AuditId(row.number(0)?),
        at: row.time(1)?,
        actor,
        actor_kind: row.text(4)?,
        what: row.text(5)?,
        target_kind: row.text(6)?,
        target_id: row.text(7)?,
        target_name: row.maybe_text(8)?,
        before: row.maybe_text(9)?.map(JsonText::from_checked),
        after: row.maybe_text(10)?.map(JsonText::from_checked),
        address: row.maybe_text(11)?,
    })
}

pub(crate) fn add(app: AppId, entry: &AuditEntry) -> Vec<Ask> {
    let actor = match entry.actor {
        Actor::Person(agent) => Some(agent.0),
        Actor::SecretKey | Actor::CommandLine | Actor::Server => None,
    };
    let values = values![
        app.0,
        entry.id.0,
        entry.at,
        actor,
        entry.actor.kind(),
        entry.deed.as_str(),
        entry.target.kind,
        &entry.target.id,
        entry.target.name.as_deref(),
        entry.before.as_ref().map(JsonText::as_str),
        entry.after.as_ref().map(JsonText::as_str),
        entry.address.as_deref(),
    ];
    vec![Ask::new(&ADD_AUDIT, values)]
}

pub(crate) fn purge(before: Timestamp) -> Vec<Ask> {
    vec![Ask::new(&FORGET_AUDIT, values![before])]
}

impl Store {
    /// Deletes some entries of all apps older than this time, oldest first. Call again while it
    /// returns more than 0.
    pub async fn purge_audit_log(&self, before: Timestamp) -> Read<usize> {
        let some = values![before, limits::PURGED_PER_COMMIT as i64];
        let oldest = self.asked(Ask::new(&OLDEST_AUDIT, some), |row| row.time(0)).await?;
        let Some(last) = oldest.last().copied() else { return Ok(0) };
        let rule = move |_: &Facts, _: &Stamp<'_>| Ok(purging::purge_audit_log(last));
        // The change affects all apps and needs no facts, so the app id is not used.
        match self.decide(AppId(0), Question::default(), rule).await {
            Ok(()) => Ok(oldest.len()),
            Err(WriteError::Failed(error)) => Err(error),
            Err(WriteError::Refused(refusal)) => {
                Err(StoreError::while_doing("purging the audit log")(refusal.to_string()))
            }
        }
    }

    /// Returns audit entries of the app, newest first.
    pub async fn audit(
        &self,
        app: AppId,
        listing: &AuditListing,
        size: usize,
    ) -> Read<Vec<AuditRow>> {
        let AuditListing { before, actor, what, from, until } = listing;
        let (actor, what) = (actor.map_or(0, |it| it.0), what.as_deref().unwrap_or_default());
        let values = values![app.0, before.0, *from, *until, actor, what, size as i64];
        self.asked(Ask::new(&AUDIT, values), row).await
    }
}
