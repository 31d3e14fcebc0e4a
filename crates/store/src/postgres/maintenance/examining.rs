//! Settings and state of a PostgreSQL database, for its operator.

use confab_domain::time::Timestamp;

use crate::error::StoreError;
use crate::postgres::connections::connection::{Connection, plain};
use crate::postgres::connections::endpoint::DatabaseEndpoint;
use crate::postgres::connections::pooling;
use crate::postgres::nodes::node;
use crate::sql::Row;

const SETTINGS: &str = "SET jit = off; SET statement_timeout = '10s'";

const FACTS: &str = "SELECT current_setting('server_version_num')::bigint, \
    current_setting('max_connections')::bigint, \
    current_setting('superuser_reserved_connections')::bigint, \
    (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'), \
    (current_setting('fsync') = 'on')::int::smallint, \
    (current_setting('full_page_writes') = 'on')::int::smallint, \
    current_setting('synchronous_commit'), \
    (pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on')\
    ::int::smallint, (current_setting('data_checksums') = 'on')::int::smallint, \
    (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, \
    has_database_privilege('public', current_database(), 'CONNECT')::int::smallint";

/// Settings and state of a PostgreSQL database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseFacts {
    /// Server version, such as 150004 for 15.4.
    pub version: i64,
    /// Maximum number of connections.
    pub connections_max: i64,
    /// Number of connections reserved for superusers.
    pub connections_reserved: i64,
    /// Number of open connections, including this one.
    pub connections_used: i64,
    /// Whether commits are flushed to disk.
    pub has_fsync: bool,
    /// Whether full pages are written to the write-ahead log, which protects them from torn writes
    /// in a power cut.
    pub has_full_pages: bool,
    /// Default `synchronous_commit` of sessions; Confab's own set `on`.
    pub synchronous_commit: String,
    /// Whether the database is read-only.
    pub is_read_only: bool,
    /// Whether data checksums are enabled.
    pub has_checksums: bool,
    /// Time of the database's clock.
    pub now: Timestamp,
    /// Whether every role of the server may connect to the database.
    pub public_may_connect: bool,
    /// Number of nodes that serve from the database, including those killed less than a minute ago.
    pub nodes_serving: i64,
    /// Number of nodes that serve from the database but store uploaded files in another location
    /// than this one.
    pub nodes_elsewhere: i64,
}

/// Implements [`crate::examine`].
pub(crate) async fn examine(endpoint: &DatabaseEndpoint) -> Result<DatabaseFacts, StoreError> {
    let db = Connection::open(endpoint, SETTINGS).await;
    let db = db.map_err(StoreError::while_doing("connecting to the database"))?;
    let failed = |error| StoreError::while_doing("examining the database")(plain(&error));
    pooling::check(endpoint, &db).await?;
    let found = db.query(FACTS, &[]).await.map_err(failed)?;
    let place = endpoint.files_place.as_deref().unwrap_or_default();
    // The tables may be missing or of an older version.
    let serving = db.query(node::NODES_SERVING.postgres(), &[&node::LEASE_S]).await;
    let elsewhere = db.query(node::NODES_ELSEWHERE.postgres(), &[&node::LEASE_S, &place]).await;
    let row = &found[0];
    Ok(DatabaseFacts {
        version: row.number(0)?,
        connections_max: row.number(1)?,
        connections_reserved: row.number(2)?,
        connections_used: row.number(3)?,
        has_fsync: row.flag(4)?,
        has_full_pages: row.flag(5)?,
        synchronous_commit: row.text(6)?,
        is_read_only: row.flag(7)?,
        has_checksums: row.flag(8)?,
        now: row.time(9)?,
        public_may_connect: row.flag(10)?,
        nodes_serving: serving.map_or(Ok(0), |rows| rows[0].number(0))?,
        nodes_elsewhere: elsewhere.map_or(Ok(0), |rows| rows[0].number(0))?,
    })
}
