//! A separate connection for the operator's commands, which work while servers run.

use crate::error::{CommandFailure, Read};
use crate::location::Location;
use crate::postgres::maintenance::commands::CommandConnection as PostgresConnection;
use crate::schema_versions::SchemaVersions;
use crate::sql::{Ask, SqlValue, Statement, ValueRow};
use crate::sqlite::maintenance::commands::CommandConnection as SqliteConnection;

/// A command's connection to the store's database, of either engine.
pub(crate) enum CommandDatabase {
    Sqlite(SqliteConnection),
    Postgres(PostgresConnection),
}

impl CommandDatabase {
    /// Opens a connection and migrates the schema.
    pub(crate) async fn open(location: &Location) -> Read<Self> {
        Ok(match location {
            Location::Folder(path) => Self::Sqlite(SqliteConnection::open(path)?),
            Location::Postgres(endpoint) => {
                Self::Postgres(PostgresConnection::open(endpoint).await?)
            }
        })
    }

    /// Opens a connection for rewriting all sealed secrets. It erases overwritten content from the
    /// files, and waits for locks.
    pub(crate) async fn open_to_seal(location: &Location) -> Read<Self> {
        Ok(match location {
            Location::Folder(path) => Self::Sqlite(SqliteConnection::open_to_seal(path)?),
            Location::Postgres(endpoint) => {
                Self::Postgres(PostgresConnection::open_to_seal(endpoint).await?)
            }
        })
    }

    /// Opens a connection for a rebuild, which may run for long while servers run. Only one rebuild
    /// runs at a time.
    pub(crate) async fn open_to_rebuild(location: &Location) -> Read<Self> {
        Ok(match location {
            Location::Folder(path) => Self::Sqlite(SqliteConnection::open_to_rebuild(path)?),
            Location::Postgres(endpoint) => {
                Self::Postgres(PostgresConnection::open_to_rebuild(endpoint).await?)
            }
        })
    }

    /// Opens a connection that reads everything in one snapshot, without blocking other
    /// connections.
    pub(crate) async fn open_to_export(location: &Location) -> Read<Self> {
        Ok(match location {
            Location::Folder(path) => Self::Sqlite(SqliteConnection::open_to_export(path)?),
            Location::Postgres(endpoint) => {
                Self::Postgres(PostgresConnection::open_to_export(endpoint).await?)
            }
        })
    }

    /// Opens a read-only connection and reads the schema versions; on data of another version, most
    /// statements fail. `None` if there is no database yet.
    pub(crate) async fn open_to_examine(
        location: &Location,
    ) -> Read<Option<(Self, SchemaVersions)>> {
        match location {
            Location::Folder(path) => {
                let opened = SqliteConnection::open_to_examine(path)?;
                Ok(opened.map(|(connection, schema)| (Self::Sqlite(connection), schema)))
            }
            Location::Postgres(endpoint) => {
                let opened = PostgresConnection::open_to_examine(endpoint).await?;
                Ok(Some((Self::Postgres(opened.0), opened.1)))
            }
        }
    }

    /// Passes the rows to `take` one by one as they are read.
    pub(crate) async fn each(
        &self,
        doing: &'static str,
        ask: &Ask,
        take: &mut dyn FnMut(ValueRow) -> Read<()>,
    ) -> Read<()> {
        match self {
            Self::Sqlite(connection) => connection.each(doing, ask, take),
            Self::Postgres(connection) => connection.each(doing, ask, take).await,
        }
    }

    /// Writes the result of a query to a temporary table, without blocking other connections.
    pub(crate) async fn write_temporary(&self, doing: &'static str, ask: &Ask) -> Read<()> {
        match self {
            Self::Sqlite(connection) => connection.write_temporary(doing, ask),
            Self::Postgres(connection) => connection.write_temporary(doing, ask).await,
        }
    }

    pub(crate) async fn query(
        &self,
        doing: &'static str,
        statement: &'static Statement,
        values: Vec<SqlValue>,
    ) -> Read<Vec<ValueRow>> {
        let ask = Ask::new(statement, values);
        match self {
            Self::Sqlite(connection) => connection.query(doing, &ask),
            Self::Postgres(connection) => connection.query(doing, &ask).await,
        }
    }

    /// Writes all statements in one transaction. Returns the number of affected rows.
    pub(crate) async fn write(
        &self,
        doing: &'static str,
        asks: &[Ask],
    ) -> Result<u64, CommandFailure> {
        self.written(doing, asks, false).await
    }

    /// Writes all statements in one transaction, or none of them if the first one affects no row.
    pub(crate) async fn write_if_found(
        &self,
        doing: &'static str,
        asks: &[Ask],
    ) -> Result<u64, CommandFailure> {
        self.written(doing, asks, true).await
    }

    async fn written(
        &self,
        doing: &'static str,
        asks: &[Ask],
        must_find: bool,
    ) -> Result<u64, CommandFailure> {
        match self {
            Self::Sqlite(connection) => connection.write(doing, asks, must_find),
            Self::Postgres(connection) => connection.write(doing, asks, must_find).await,
        }
    }

    /// Erases the previous versions of rewritten rows from the database files.
    pub(crate) async fn purge_old_rows(&self) -> Read<()> {
        match self {
            Self::Sqlite(connection) => connection.purge_old_rows(),
            Self::Postgres(connection) => connection.purge_old_rows().await,
        }
    }
}
