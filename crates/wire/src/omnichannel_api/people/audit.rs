//! Who changed what (D-0135).

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
    /// `GET /api/v2/audit`
    pub struct AuditFields {
        /// What somebody did, by their integer.
        actor: Id, optional;
        /// A deed, like `agent.created`, or all of a subject, like `agent`.
        what: Short<{ limits::NAME_CHARS_MAX }>, optional, example = "agent.created";
        /// From this time on, or from the beginning of this day in UTC.
        from: Start, optional, example = "2026-11-01";
        /// Before this time, or up to the end of this day in UTC.
        until: End, optional, example = "2026-11-16";
        /// `meta.after` of an earlier answer.
        cursor: Id, optional;
        /// How many on a page; 20 if absent, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
    }
}

field! {
    /// A time, or a day from its beginning on.
    Start -> Timestamp;
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        moment(&text, 0).or_else(|| reading.wrong(field, NO_TIME))
    }
}

field! {
    /// A time, or a day up to its end.
    End -> Timestamp;
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        moment(&text, 1).or_else(|| reading.wrong(field, NO_TIME))
    }
}

const NO_TIME: &str = "must be a day like 2026-11-16, or a time like 2026-11-16T10:00:00Z";

/// A moment; of a day so many days after its beginning in UTC.
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

/// Which entries are wanted.
pub struct AuditFilter {
    pub actor: Option<AgentId>,
    pub what: Option<String>,
    pub from: Timestamp,
    pub until: Timestamp,
    pub before: AuditId,
    pub size: usize,
}

/// Reads which entries are wanted.
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

/// An entry as it is kept.
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

/// `{entries}`
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
    /// Who; null if it was no person.
    actor: Option<PersonShape<'a>>,
    /// `person`, `secret_key`, `command_line` or `server`.
    #[schema(example = "person")]
    actor_kind: &'a str,
    #[schema(example = "agent.created")]
    what: &'a str,
    target: TargetShape<'a>,
    /// What differs, as it was; null if nothing was there.
    #[schema(value_type = Option<Object>)]
    before: Option<&'a RawValue>,
    /// What differs, as it is; null if nothing is there any more.
    #[schema(value_type = Option<Object>)]
    after: Option<&'a RawValue>,
    /// From where; of IPv6 addresses only the network.
    #[schema(example = "203.0.113.7")]
    address: Option<&'a str>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditTarget)]
struct TargetShape<'a> {
    #[schema(example = "agent")]
    kind: &'a str,
    /// Empty if it is the app, or several.
    #[schema(example = "2")]
    id: &'a str,
    /// What it was called then.
    #[schema(example = "Ana")]
    name: Option<&'a str>,
}

/// A page of entries; `all` has one more than the page if there are more.
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
    fn a_day_has_a_beginning_and_an_end() {
        let noon = moment("2026-11-16T12:00:00Z", 1).expect("a time");
        let (start, end) = (moment("2026-11-16", 0), moment("2026-11-16", 1));
        assert_eq!(start, Some(Timestamp(noon.0 - 43_200_000_000)));
        assert_eq!(end, Some(Timestamp(noon.0 + 43_200_000_000)));
        for wrong in ["", "x", "2026-13-01", "2026-11-16T", "20261116", "9999-12-31T99"] {
            assert_eq!(moment(wrong, 0), None, "{wrong}");
        }
    }
}
