//! The audit log of an app: the filter of the query, and its entries (design/sign-in-and-limits).

use confab_domain::agents::agent::Person;
use confab_domain::ids::{AgentId, AuditId, ID_END};
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{Id, PageSize, Short, field};
use crate::omnichannel_api::support::{DataPage, PageMeta, page};
use crate::person::{PersonShape, person};
use crate::raw_json::raw;
use crate::request::request;
use crate::time::to_the_microsecond;

request! {
    /// Query of `GET /api/v2/audit`.
    pub struct AuditFields {
        /// Id of the agent who made the change.
        actor: Id, optional;
        /// Action, such as `agent.created`, or subject, such as `agent` for all actions on agents.
        what: Short<{ limits::NAME_CHARS_MAX }>, optional, example = "agent.created";
        /// Start of the period: a time, or a date, which stands for the start of the day in UTC.
        from: Start, optional, example = "2026-11-01";
        /// End of the period, exclusive: a time, or a date, which stands for the end of the day in
        /// UTC.
        until: End, optional, example = "2026-11-16";
        /// Value of `meta.after` in the response with the previous page.
        cursor: Id, optional;
        /// Entries per page, default 20, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
    }
}

field! {
    /// A time, or a date, which stands for the start of the day in UTC.
    Start -> Timestamp;
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        moment(&text, 0).or_else(|| reading.wrong(field, NO_TIME))
    }
}

field! {
    /// A time, or a date, which stands for the end of the day in UTC.
    End -> Timestamp;
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        moment(&text, 1).or_else(|| reading.wrong(field, NO_TIME))
    }
}

const NO_TIME: &str = "must be a date such as 2026-11-16, or a time such as 2026-11-16T10:00:00Z";

/// Parses a time or a date. A date stands for the start of the day in UTC, `days` days later.
fn moment(text: &str, days: i32) -> Option<Timestamp> {
    let time = match text.parse::<jiff::Timestamp>() {
        Ok(time) => time,
        Err(_) => {
            let day: Date = text.parse().ok().filter(|_| text.len() == 10)?;
            let day = day.checked_add(jiff::Span::new().days(days)).ok()?;
            day.to_zoned(TimeZone::UTC).ok()?.timestamp()
        }
    };
    Some(Timestamp(time.as_microsecond()))
}

/// A filter for audit entries, with the position and size of a page.
pub struct AuditFilter {
    pub actor: Option<AgentId>,
    pub what: Option<String>,
    pub from: Timestamp,
    pub until: Timestamp,
    pub before: AuditId,
    pub size: usize,
}

/// Parses the query of `GET /api/v2/audit`.
pub fn read_audit(query: &Body<'_>) -> Result<AuditFilter, Refusal> {
    let AuditFields { actor, what, from, until, cursor, limit } = query.read()?;
    Ok(AuditFilter {
        actor: actor.map(AgentId),
        what: what.filter(|what| !what.is_empty()),
        from: from.unwrap_or(Timestamp(0)),
        until: until.unwrap_or(Timestamp(i64::MAX)),
        before: AuditId(cursor.unwrap_or(ID_END)),
        size: limit,
    })
}

/// A stored audit entry, with the name of its actor.
pub struct ShownEntry<'a> {
    pub id: AuditId,
    pub at: Timestamp,
    pub actor: Option<&'a Person>,
    pub actor_kind: &'a str,
    pub what: &'a str,
    pub target: (&'a str, &'a str, Option<&'a str>),
    pub before: Option<&'a JsonText>,
    pub after: Option<&'a JsonText>,
    pub address: Option<&'a str>,
}

/// Response data with a list of audit entries.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditList<'a> {
    entries: Vec<AuditShape<'a>>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditEntry)]
struct AuditShape<'a> {
    id: String,
    #[schema(example = "2026-01-31T10:00:00.123456Z")]
    at: String,
    /// Agent who made the change; null if `actor_kind` is not `person`.
    actor: Option<PersonShape<'a>>,
    /// Origin of the change: `person`, `secret_key`, `command_line` or `server`.
    #[schema(example = "person")]
    actor_kind: &'a str,
    #[schema(example = "agent.created")]
    what: &'a str,
    target: TargetShape<'a>,
    /// Changed values before the change; null if the target is new.
    #[schema(value_type = Option<Object>)]
    before: Option<&'a RawValue>,
    /// Changed values after the change; null if the target was deleted.
    #[schema(value_type = Option<Object>)]
    after: Option<&'a RawValue>,
    /// IP address of the caller; only the network part of an IPv6 address.
    #[schema(example = "203.0.113.7")]
    address: Option<&'a str>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditTarget)]
struct TargetShape<'a> {
    #[schema(example = "agent")]
    kind: &'a str,
    /// Id of the target; empty for the app or several targets.
    #[schema(example = "2")]
    id: &'a str,
    /// Name of the target at the time of the change.
    #[schema(example = "Ana")]
    name: Option<&'a str>,
}

/// Returns one page with at most `size` audit entries. `all` contains one more entry if there is a
/// next page.
pub fn audit_list<'a>(all: Vec<ShownEntry<'a>>, size: usize) -> DataPage<AuditList<'a>> {
    let more = all.len() > size;
    let entries: Vec<_> = all.into_iter().take(size).map(shape).collect();
    let after = entries.last().map(|it| it.id.clone()).filter(|_| more);
    let meta = PageMeta { after, before: None, per_page: size, total_count: None };
    page(AuditList { entries }, meta)
}

fn shape(it: ShownEntry<'_>) -> AuditShape<'_> {
    let (kind, id, name) = it.target;
    AuditShape {
        id: it.id.to_string(),
        at: to_the_microsecond(it.at),
        actor: person(it.actor),
        actor_kind: it.actor_kind,
        what: it.what,
        target: TargetShape { kind, id, name },
        before: it.before.map(raw),
        after: it.after.map(raw),
        address: it.address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_a_period_from_its_start_to_its_end() {
        let noon = moment("2026-11-16T12:00:00Z", 1).expect("a time");
        let (start, end) = (moment("2026-11-16", 0), moment("2026-11-16", 1));
        assert_eq!(start, Some(Timestamp(noon.0 - 43_200_000_000)));
        assert_eq!(end, Some(Timestamp(noon.0 + 43_200_000_000)));
        for wrong in ["", "x", "2026-13-01", "2026-11-16T", "20261116", "9999-12-31T99"] {
            assert_eq!(moment(wrong, 0), None, "{wrong}");
        }
    }
}
