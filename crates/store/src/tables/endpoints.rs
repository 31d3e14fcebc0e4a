//! Endpoints: URLs to which apps want events delivered.

use confab_domain::ids::{AppId, EndpointId};
use confab_domain::webhooks::endpoint::{DeliveryPolicy, Endpoint, EndpointFailures};
use confab_domain::webhooks::event_kind::EventKind;

use crate::error::Read;
use crate::sql::{Ask, Row, columns, prepared, statements, values};
use crate::store::Store;

macro_rules! endpoint_columns {
    ($e:literal) => {
        columns!($e; "id", "app", "kind", "name", "url", "is_enabled", "is_paused",
            "failing_since", "failing_told", "timeout_ms", "at_once_max", "per_second_max",
            "block_s", "created_at", "updated_at")
    };
}

prepared! {
    // For the apps of all decisions of a batch.
    POSTGRES_ENDPOINTS_OF_APPS = concat!("SELECT ", endpoint_columns!(""), " FROM endpoints \
        WHERE app = ANY ($1)");
    PUT_ENDPOINT = "INSERT INTO endpoints (id, app, kind, name, url, is_enabled, is_paused, \
        failing_since, failing_told, timeout_ms, at_once_max, per_second_max, block_s, \
        created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
        ON CONFLICT (app, kind, name) DO UPDATE SET url = excluded.url, \
        is_enabled = excluded.is_enabled, is_paused = excluded.is_paused, \
        failing_since = excluded.failing_since, failing_told = excluded.failing_told, \
        timeout_ms = excluded.timeout_ms, at_once_max = excluded.at_once_max, \
        per_second_max = excluded.per_second_max, block_s = excluded.block_s, \
        updated_at = excluded.updated_at";
    REMOVE_ENDPOINT = "DELETE FROM endpoints WHERE id = $1";
    SET_PAUSED = "UPDATE endpoints SET is_paused = $2 WHERE id = $1";
    SET_HEALTH = "UPDATE endpoints SET failing_since = $2, failing_told = $3, is_enabled = $4 \
        WHERE id = $1";
}

statements! {
    ENDPOINTS = concat!("SELECT ", endpoint_columns!(""), " FROM endpoints WHERE app = $1 \
        ORDER BY kind, name");
}

pub(crate) fn row<R: Row>(row: &R) -> Result<Endpoint, R::Error> {
    let (since, told) = (row.maybe_time(7)?, row.number(8)? as u32);
    Ok(Endpoint {
        id: EndpointId(row.number(0)?),
        app: AppId(row.number(1)?),
        kind: kind(row, 2)?,
        name: row.text(3)?,
        url: row.text(4)?,
        is_enabled: row.flag(5)?,
        is_paused: row.flag(6)?,
        failing: since.map(|since| EndpointFailures { since, told }),
        policy: DeliveryPolicy {
            timeout_ms: row.number(9)? as u32,
            at_once_max: row.number(10)? as u32,
            per_second_max: row.maybe_number(11)?.map(|limit| limit as u32),
            block_s: row.number(12)? as u32,
        },
        created_at: row.time(13)?,
        updated_at: row.time(14)?,
    })
}

/// Reads the kind of event from this column.
pub(crate) fn kind<R: Row>(row: &R, column: usize) -> Result<EventKind, R::Error> {
    row.known(column, "kind of notice", EventKind::parse)
}

/// Inserts an endpoint, or updates the app's endpoint with the same kind and name.
pub(crate) fn put(endpoint: &Endpoint) -> Vec<Ask> {
    let Endpoint { id, app, kind, name, url, is_enabled, is_paused, failing, .. } = endpoint;
    let Endpoint { policy, created_at, updated_at, .. } = endpoint;
    let values = values![
        id.0,
        app.0,
        kind.as_str(),
        name,
        url,
        *is_enabled,
        *is_paused,
        failing.map(|failing| failing.since),
        failing.map_or(0, |failing| failing.told),
        policy.timeout_ms,
        policy.at_once_max,
        policy.per_second_max,
        policy.block_s,
        *created_at,
        *updated_at,
    ];
    vec![Ask::new(&PUT_ENDPOINT, values)]
}

pub(crate) fn remove(endpoint: EndpointId) -> Vec<Ask> {
    vec![Ask::new(&REMOVE_ENDPOINT, values![endpoint.0])]
}

pub(crate) fn set_paused(endpoint: EndpointId, is_paused: bool) -> Vec<Ask> {
    vec![Ask::new(&SET_PAUSED, values![endpoint.0, is_paused])]
}

pub(crate) fn set_health(
    endpoint: EndpointId,
    failing: Option<EndpointFailures>,
    is_enabled: bool,
) -> Vec<Ask> {
    let (since, told) = (failing.map(|it| it.since), failing.map_or(0, |it| it.told));
    vec![Ask::new(&SET_HEALTH, values![endpoint.0, since, told, is_enabled])]
}

impl Store {
    /// Returns the endpoints of the app.
    pub async fn endpoints(&self, app: AppId) -> Read<Vec<Endpoint>> {
        self.query_now(Ask::new(&ENDPOINTS, values![app.0]), row).await
    }
}
