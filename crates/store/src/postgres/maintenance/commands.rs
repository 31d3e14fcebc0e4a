//! Database connection of the operator's commands, independent of the nodes.

use std::pin::pin;

use futures_util::TryStreamExt as _;
use tokio_postgres::Error;

use crate::error::{CommandFailure, StoreError};
use crate::postgres::connections::connection::{Connection, ErrorMeaning, meaning, plain};
use crate::postgres::connections::endpoint::DatabaseEndpoint;
use crate::postgres::connections::values;
use crate::postgres::migrations;
use crate::schema_versions::SchemaVersions;
use crate::sql::{Ask, ValueRow};

const SEALING: &str = "encrypting the secrets";

const SETTINGS: &str = "SET synchronous_commit = on; SET statement_timeout = '10s'";
const SEALING_SETTINGS: &str = "SET synchronous_commit = on; SET lock_timeout = '60s'";

/// Settings for rebuild commands: reads may take long, but locks are awaited only briefly, because
/// a waiting lock request blocks all later ones.
const REBUILDING_SETTINGS: &str = "SET synchronous_commit = on; SET statement_timeout = 0; \
    SET idle_in_transaction_session_timeout = 0; SET lock_timeout = '1s'";

/// Settings for exports: reads may take long.
const EXPORTING_SETTINGS: &str = "SET statement_timeout = 0; \
    SET idle_in_transaction_session_timeout = 0; SET lock_timeout = '10s'";

/// Settings that make every transaction read-only.
const READ_ONLY_SETTINGS: &str =
    "SET default_transaction_read_only = on; SET jit = off; SET statement_timeout = '10s'";

/// Starts a transaction whose statements all see one snapshot.
const ONE_MOMENT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Key of an advisory lock that only rebuild commands take.
const REBUILDING_LOCK: i64 = 0x636f_6e66_6163;

/// Rewrites the tables with secrets, which would otherwise keep old versions of rows for a long
/// time.
const REWRITES: [&str; 4] =
    ["VACUUM FULL apps", "VACUUM FULL users", "VACUUM FULL channels", "VACUUM FULL deliveries"];

pub(crate) struct CommandConnection {
    db: Connection,
}

impl CommandConnection {
    pub(crate) async fn open(endpoint: &DatabaseEndpoint) -> Result<Self, StoreError> {
        Self::open_with(endpoint, SETTINGS).await
    }

    pub(crate) async fn open_to_seal(endpoint: &DatabaseEndpoint) -> Result<Self, StoreError> {
        Self::open_with(endpoint, SEALING_SETTINGS).await
    }

    pub(crate) async fn open_to_rebuild(endpoint: &DatabaseEndpoint) -> Result<Self, StoreError> {
        let opened = Self::open_with(endpoint, REBUILDING_SETTINGS).await?;
        let doing = "locking the database";
        let lock = "SELECT pg_try_advisory_lock($1::bigint + hashtext(current_schema()))";
        let found = opened.db.query(lock, &[&REBUILDING_LOCK]).await;
        match found.map_err(|error| failed(doing, &error))?[0].get(0) {
            true => Ok(opened),
            false => Err(StoreError::while_doing(doing)(
                "another rebuild is running; wait until it ends",
            )),
        }
    }

    pub(crate) async fn open_to_export(endpoint: &DatabaseEndpoint) -> Result<Self, StoreError> {
        let opened = Self::open_with(endpoint, EXPORTING_SETTINGS).await?;
        let begun = opened.db.run(ONE_MOMENT).await;
        begun.map_err(|error| failed("opening the database", &error))?;
        Ok(opened)
    }

    /// Opens the database without changing anything.
    pub(crate) async fn open_to_examine(
        endpoint: &DatabaseEndpoint,
    ) -> Result<(Self, SchemaVersions), StoreError> {
        let db = Connection::open(endpoint, READ_ONLY_SETTINGS).await;
        let db = db.map_err(StoreError::while_doing("connecting to the database"))?;
        let schema = migrations::versions(&db).await?;
        Ok((Self { db }, schema))
    }

    /// Passes the rows to `take` one by one, and reads no faster than `take` accepts them.
    pub(crate) async fn each(
        &self,
        doing: &'static str,
        ask: &Ask,
        take: &mut dyn FnMut(ValueRow) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let failed = |error: Error| failed(doing, &error);
        let asked = self.db.streamed(ask.statement.postgres(), &values::params(ask)).await;
        let mut rows = pin!(asked.map_err(failed)?);
        while let Some(row) = rows.try_next().await.map_err(failed)? {
            take(values::row(&row)?)?;
        }
        Ok(())
    }

    async fn open_with(endpoint: &DatabaseEndpoint, settings: &str) -> Result<Self, StoreError> {
        drop(migrations::migrate(endpoint).await?);
        let db = Connection::open(endpoint, settings).await;
        Ok(Self { db: db.map_err(StoreError::while_doing("connecting to the database"))? })
    }

    pub(crate) async fn query(
        &self,
        doing: &'static str,
        ask: &Ask,
    ) -> Result<Vec<ValueRow>, StoreError> {
        let found = values::query(&self.db, ask).await;
        values::rows(&found.map_err(|error| failed(doing, &error))?)
    }

    /// Runs a statement that writes to a temporary table, outside of an explicit transaction.
    pub(crate) async fn write_temporary(
        &self,
        doing: &'static str,
        ask: &Ask,
    ) -> Result<(), StoreError> {
        values::execute(&self.db, ask).await.map(drop).map_err(|error| failed(doing, &error))
    }

    /// Runs all statements in one transaction, or none if `must_find` is set and the first one
    /// matches no row.
    pub(crate) async fn write(
        &self,
        doing: &'static str,
        asks: &[Ask],
        must_find: bool,
    ) -> Result<u64, CommandFailure> {
        let write = async {
            self.db.run("BEGIN").await?;
            drop(self.db.take_warning());
            let mut rows = 0;
            for ask in asks {
                rows += values::execute(&self.db, ask).await?;
                if must_find && rows == 0 {
                    break;
                }
            }
            self.db.run("COMMIT").await.map(|()| rows)
        };
        match write.await {
            Ok(rows) => match self.db.take_warning() {
                None => Ok(rows),
                // As with the writer, a part may not have been written (D-0025).
                Some(warning) => {
                    let reason = format!("it is not known whether it was written: {warning}");
                    Err(CommandFailure::Failed(StoreError::while_doing(doing)(reason)))
                }
            },
            Err(error) => {
                // If this fails too, the connection and its transaction are gone.
                let _ = self.db.run("ROLLBACK").await;
                Err(match meaning(&error) {
                    ErrorMeaning::Conflict => CommandFailure::Conflict(failed(doing, &error)),
                    ErrorMeaning::Locked => CommandFailure::Locked(failed(doing, &error)),
                    _ => CommandFailure::Failed(failed(doing, &error)),
                })
            }
        }
    }

    pub(crate) async fn purge_old_rows(&self) -> Result<(), StoreError> {
        for statement in REWRITES {
            self.db.run(statement).await.map_err(|error| failed(SEALING, &error))?;
        }
        Ok(())
    }
}

fn failed(doing: &'static str, error: &Error) -> StoreError {
    StoreError::while_doing(doing)(plain(error))
}
