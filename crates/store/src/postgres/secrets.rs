//! A connection that seals what is stored, beside the nodes that write.

use tokio_postgres::Error;

use super::connection::plain;
use super::endpoint::Endpoint;
use super::{connection, migrations, values};
use crate::error::StoreError;
use crate::sql::{Ask, ValueRow};

const DOING: &str = "sealing secrets";

const SETTINGS: &str = "SET synchronous_commit = on; SET lock_timeout = '60s'";

/// Rewrites the tables: what was there before an update would stay in them for long.
const ANEW: [&str; 4] =
    ["VACUUM FULL apps", "VACUUM FULL users", "VACUUM FULL channels", "VACUUM FULL deliveries"];

/// A connection to the database.
pub(crate) struct Connection {
    db: connection::Connection,
}

impl Connection {
    pub(crate) async fn open(endpoint: &Endpoint) -> Result<Self, StoreError> {
        migrations::migrate(endpoint).await?;
        let db = connection::Connection::open(endpoint, SETTINGS).await;
        Ok(Self { db: db.map_err(StoreError::while_doing("connecting to the database"))? })
    }

    pub(crate) async fn query(&self, ask: &Ask) -> Result<Vec<ValueRow>, StoreError> {
        let found = values::query(&self.db, ask).await;
        values::rows(&found.map_err(failed)?)
    }

    pub(crate) async fn write(&self, asks: &[Ask]) -> Result<u64, StoreError> {
        let write = async {
            self.db.run("BEGIN").await?;
            let mut rows = 0;
            for ask in asks {
                rows += values::execute(&self.db, ask).await?;
            }
            self.db.run("COMMIT").await.map(|()| rows)
        };
        match write.await {
            Ok(rows) => Ok(rows),
            Err(error) => {
                // If this fails too, the connection is gone and the transaction with it.
                let _ = self.db.run("ROLLBACK").await;
                Err(failed(error))
            }
        }
    }

    pub(crate) async fn forget_old_rows(&self) -> Result<(), StoreError> {
        for statement in ANEW {
            self.db.run(statement).await.map_err(failed)?;
        }
        Ok(())
    }
}

fn failed(error: Error) -> StoreError {
    StoreError::while_doing(DOING)(plain(&error))
}
