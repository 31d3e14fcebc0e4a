//! Location of a store.

use std::path::{Path, PathBuf};

use crate::error::StoreError;
use crate::postgres::connections::endpoint::DatabaseEndpoint;

/// Location of a store. No `Debug`: the URL of a database may contain its password.
#[derive(Clone)]
pub enum Location {
    /// Local folder with an embedded database.
    Folder(PathBuf),
    /// PostgreSQL database, which several nodes may share.
    Postgres(Box<DatabaseEndpoint>),
}

impl Location {
    /// Creates the location of a data folder.
    pub fn folder(path: impl AsRef<Path>) -> Self {
        Self::Folder(path.as_ref().to_owned())
    }

    /// Parses the URL of a database, such as `postgres://user:password@host/database`.
    pub fn database(url: &str) -> Result<Self, StoreError> {
        DatabaseEndpoint::parse(url).map(Box::new).map(Self::Postgres)
    }

    /// Sets the location where the node stores uploaded files, which must be the same on all nodes
    /// of a PostgreSQL database. Has no effect on a data folder.
    pub fn with_files_in(self, place: String) -> Self {
        match self {
            Self::Folder(path) => Self::Folder(path),
            Self::Postgres(endpoint) => Self::Postgres(Box::new(endpoint.with_files_in(place))),
        }
    }

    /// Returns the location for logs, without a password.
    pub fn shown(&self) -> String {
        match self {
            Self::Folder(path) => path.display().to_string(),
            Self::Postgres(endpoint) => endpoint.shown(),
        }
    }
}
