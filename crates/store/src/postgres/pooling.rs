//! Whether each of our connections has a session of its own in the database (D-0188).
//!
//! Nodes set up their sessions, prepare statements in them and listen in one. A pooler that gives
//! server connections out by transaction breaks all three, and most of it shows only under load. So
//! it is looked for before anything is done. What says whose session it is, is the session itself:
//! how a pooler is called and which port it has tell nothing.

use super::connection::{Connection, plain};
use super::endpoint::DatabaseEndpoint;
use crate::error::StoreError;

/// Which session of which server answers.
const SESSION: &str = "SELECT pg_backend_pid() || ' ' || pg_postmaster_start_time()";

/// One look finds a pooler that nobody else uses; one that is busy gives the same session again in
/// about one look of five.
const LOOKS: usize = 12;

const SHARED: &str = "the pooler in front of the database shares server connections, which breaks \
    sessions: set it to session pooling (PgBouncer: pool_mode = session), or set database_url to \
    the database itself";

/// Refuses a database whose sessions are not ours alone. A second connection holds a transaction
/// meanwhile: a pooler that shares would give it the session that the first one had.
pub(super) async fn check(
    endpoint: &DatabaseEndpoint,
    first: &Connection,
) -> Result<(), StoreError> {
    let doing = "connecting to the database";
    let failed = |error: tokio_postgres::Error| StoreError::while_doing(doing)(plain(&error));
    let second =
        Connection::open(endpoint, "SET idle_in_transaction_session_timeout = '10s'").await;
    let second = second.map_err(StoreError::while_doing(doing))?;
    let session = first.first_value(SESSION).await.map_err(failed)?;
    for _ in 0..LOOKS {
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
