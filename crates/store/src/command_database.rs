//! A connection of its own, beside servers that run: what the operator's commands read and write
//! with.

use crate::error::{Read, StoreError};
use crate::location::Location;
use crate::schema_versions::SchemaVersions;
use crate::sql::{Ask, SqlValue, Statement, ValueRow};
use crate::{postgres, sqlite};

/// A connection to the database of a location.
pub(crate) enum CommandDatabase {
    Sqlite(sqlite::commands::CommandConnection),
    Postgres(postgres::commands::CommandConnection),
}

/// Why nothing was written.
pub(crate) enum CommandFailure {
    /// Something of it was there already.
    Conflict(StoreError),
    /// Others use what is to be locked.
    Locked(StoreError),
    Failed(StoreError),
}

impl CommandFailure {
    /// For whom every failure is one.
    pub(crate) fn error(self) -> StoreError {
        match self {
            Self::Conflict(error) | Self::Locked(error) | Self::Failed(error) => error,
        }
    }
}

impl CommandDatabase {
    /// Brings the schema up to date first.
    pub(crate) async fn open(location: &Location) -> Read<Self> {
        Ok(match location {
            Location::Folder(path) => {
                Self::Sqlite(sqlite::commands::CommandConnection::open(path)?)
            }
            Location::Postgres(endpoint) => {
                Self::Postgres(postgres::commands::CommandConnection::open(endpoint).await?)
            }
        })
    }

    /// The same for what goes through all secrets: nothing that is overwritten shall be found, and
    /// locks are waited for.
    pub(crate) async fn open_to_seal(location: &Location) -> Read<Self> {
        use {postgres::commands as of_postgres, sqlite::commands as of_sqlite};
        Ok(match location {
            Location::Folder(path) => {
                Self::Sqlite(of_sqlite::CommandConnection::open_to_seal(path)?)
            }
            Location::Postgres(endpoint) => {
                Self::Postgres(of_postgres::CommandConnection::open_to_seal(endpoint).await?)
            }
        })
    }

    /// The same for what takes long beside servers that run: one such command at a time.
    pub(crate) async fn open_to_rebuild(location: &Location) -> Read<Self> {
        use {postgres::commands as of_postgres, sqlite::commands as of_sqlite};
        Ok(match location {
            Location::Folder(path) => {
                Self::Sqlite(of_sqlite::CommandConnection::open_to_rebuild(path)?)
            }
            Location::Postgres(endpoint) => {
                Self::Postgres(of_postgres::CommandConnection::open_to_rebuild(endpoint).await?)
            }
        })
    }

    /// The same for what reads everything: from the first look on it sees one moment, however long
    /// it takes, and nobody waits for it.
    pub(crate) async fn open_to_export(location: &Location) -> Read<Self> {
        use {postgres::commands as of_postgres, sqlite::commands as of_sqlite};
        Ok(match location {
            Location::Folder(path) => {
                Self::Sqlite(of_sqlite::CommandConnection::open_to_export(path)?)
            }
            Location::Postgres(endpoint) => {
                Self::Postgres(of_postgres::CommandConnection::open_to_export(endpoint).await?)
            }
        })
    }

    /// A connection that changes nothing, with the versions of the schema: where the data are of an
    /// older or a newer one, most statements fail. Nothing where there is no database yet.
    pub(crate) async fn open_to_look(location: &Location) -> Read<Option<(Self, SchemaVersions)>> {
        use {postgres::commands as of_postgres, sqlite::commands as of_sqlite};
        match location {
            Location::Folder(path) => {
                let opened = of_sqlite::CommandConnection::open_to_look(path)?;
                Ok(opened.map(|(connection, schema)| (Self::Sqlite(connection), schema)))
            }
            Location::Postgres(endpoint) => {
                let opened = of_postgres::CommandConnection::open_to_look(endpoint).await?;
                Ok(Some((Self::Postgres(opened.0), opened.1)))
            }
        }
    }

    /// Gives the rows one by one, as they are read.
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

    /// Writes to what only this connection has, from what it reads at one moment: nobody waits for
    /// it, however long it takes.
    pub(crate) async fn write_beside(&self, doing: &'static str, ask: &Ask) -> Read<()> {
        match self {
            Self::Sqlite(connection) => connection.write_beside(doing, ask),
            Self::Postgres(connection) => connection.write_beside(doing, ask).await,
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

    /// Writes all in one transaction; how many rows it found.
    pub(crate) async fn write(
        &self,
        doing: &'static str,
        asks: &[Ask],
    ) -> Result<u64, CommandFailure> {
        self.written(doing, asks, false).await
    }

    /// The same, unless the first finds no row: then nothing is written.
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

    /// Leaves nothing of what stood in rows before they were rewritten.
    pub(crate) async fn forget_old_rows(&self) -> Read<()> {
        match self {
            Self::Sqlite(connection) => connection.forget_old_rows(),
            Self::Postgres(connection) => connection.forget_old_rows().await,
        }
    }
}
