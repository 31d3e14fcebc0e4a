//! Detects connection poolers that share database sessions between connections (design/storage).
//!
//! Nodes configure their sessions, prepare statements and listen. A pooler that assigns server
//! connections per transaction breaks all three, mostly only under load. So the check runs first.
//! It compares sessions, because the name and port of a pooler tell nothing.

use super::connection::{Connection, plain};
use super::endpoint::DatabaseEndpoint;
use crate::error::StoreError;

/// Query for an identifier of the session: the process id and the start time of the server that
/// answers.
const SESSION: &str = "SELECT pg_backend_pid() || ' ' || pg_postmaster_start_time()";

/// Number of times that the sessions are compared. One comparison detects a pooler that is
/// otherwise unused; with a busy pooler, the session is the same in about one of five comparisons.
const CHECKS: usize = 12;

const SHARED: &str = "the pooler in front of the database shares server connections, which breaks \
    sessions: set it to session pooling (PgBouncer: pool_mode = session), or set database_url to \
    the database itself";

/// Fails if the connections share database sessions. A second connection holds a transaction during
/// the check: a sharing pooler would give it the session of the first one.
pub(crate) async fn check(
    endpoint: &DatabaseEndpoint,
    first: &Connection,
) -> Result<(), StoreError> {
    let doing = "connecting to the database";
    let failed = |error: tokio_postgres::Error| StoreError::while_doing(doing)(plain(&error));
    let second =
        Connection::open(endpoint, "SET idle_in_transaction_session_timeout = '10s'").await;
    let second = second.map_err(StoreError::while_doing(doing))?;
    let session = first.first_value(SESSION).await.map_err(failed)?;
    for _ in 0..CHECKS {
        let other = second.first_value(SESSION).await.map_err(failed)?;
        if other == session {
            return Err(StoreError::while_doing(doing)(SHARED));
        }
        second.run("BEGIN").await.map_err(failed)?;
        if first.first_value(SESSION).await.map_err(failed)? != session {
            return Err(StoreError::while_doing(doing)(SHARED));
        }
        second.run("ROLLBACK").await.map_err(failed)?;
    }
    Ok(())
}
