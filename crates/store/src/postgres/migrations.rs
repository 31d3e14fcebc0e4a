//! The schema's versions: forward only, each in one transaction, one node at a time.

use super::connection::{Connection, plain};
use super::endpoint::Endpoint;
use crate::error::StoreError;

/// Every step from an empty database to today, in order. Never edit one that was released; add
/// one, and make `docs/operating/citus.sql` anew.
pub(super) const MIGRATIONS: &[&str] = &[include_str!("migrations/0001_start.sql")];

/// Of an advisory lock that only this file takes.
const LOCK: i64 = 0x636f_6e66_6162;

/// Brings the database up to date. Nodes that start at the same time wait for each other.
pub(super) async fn migrate(endpoint: &Endpoint) -> Result<(), StoreError> {
    let connection = Connection::open(endpoint, "SET client_min_messages = warning").await;
    let connection = connection
        .map_err(|error| StoreError::while_doing("connecting to the database")(plain(&error)))?;
    while !apply_next(&connection, MIGRATIONS).await? {}
    Ok(())
}

/// Applies the next step, if there is one; true once there is none.
async fn apply_next(connection: &Connection, migrations: &[&str]) -> Result<bool, StoreError> {
    let doing = "bringing the schema up to date";
    let failed = |error: tokio_postgres::Error| StoreError::while_doing(doing)(plain(&error));
    connection
        .run(&format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})"))
        .await
        .map_err(failed)?;
    connection
        .run("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)")
        .await
        .map_err(failed)?;
    let rows = connection.query("SELECT max(version) FROM schema_version", &[]).await;
    let version: Option<i64> = rows.map_err(failed)?[0].get(0);
    let version = version.unwrap_or(0) as usize;
    if version > migrations.len() {
        return Err(StoreError::while_doing("reading the schema version")(format!(
            "the database has schema version {version}, this confab knows versions up to {}; \
             use a newer confab",
            migrations.len()
        )));
    }
    let Some(migration) = migrations.get(version) else {
        connection.run("COMMIT").await.map_err(failed)?;
        return Ok(true);
    };
    let note = format!("INSERT INTO schema_version VALUES ({})", version + 1);
    connection.run(&format!("{migration};\n{note};\nCOMMIT")).await.map_err(failed)?;
    Ok(version + 1 == migrations.len())
}
