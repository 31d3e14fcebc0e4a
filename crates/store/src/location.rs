//! Where a store is.

use std::path::{Path, PathBuf};

use crate::error::StoreError;
use crate::postgres::endpoint::DatabaseEndpoint;

/// Where a store is. No `Debug`: a database's address may hold its password.
#[derive(Clone)]
pub enum Location {
    /// A folder of this machine, with an embedded database.
    Folder(PathBuf),
    /// A PostgreSQL that several nodes may share.
    Postgres(Box<DatabaseEndpoint>),
}

impl Location {
    /// A data folder.
    pub fn folder(path: impl AsRef<Path>) -> Self {
        Self::Folder(path.as_ref().to_owned())
    }

    /// A database by its address, such as `postgres://user:password@host/database`.
    pub fn database(url: &str) -> Result<Self, StoreError> {
        DatabaseEndpoint::parse(url).map(Box::new).map(Self::Postgres)
    }

    /// The same for a node that keeps uploaded files in this place. On PostgreSQL it serves only
    /// beside nodes that have the same (D-0187).
    pub fn with_files_in(self, place: String) -> Self {
        match self {
            Self::Folder(path) => Self::Folder(path),
            Self::Postgres(endpoint) => Self::Postgres(Box::new(endpoint.with_files_in(place))),
        }
    }

    /// For the log: where it is, without a password.
    pub fn shown(&self) -> String {
        match self {
            Self::Folder(path) => path.display().to_string(),
            Self::Postgres(endpoint) => endpoint.shown(),
        }
    }
}
