//! LISTEN and NOTIFY: short texts from node to node, for those that listen just then (D-0040).
//!
//! Each direction has a connection of its own. A notice that nobody hears is gone, and so is one
//! that comes faster than it is taken: whoever uses this counts. Opening again is the caller's.

use confab_domain::limits;
use tokio::sync::mpsc;

use super::connection::{Connection, plain};
use super::endpoint::DatabaseEndpoint;
use crate::error::StoreError;

/// Notices are for everybody in the database, but schemas are apart.
const CHANNEL: &str = "SELECT 'confab_' || md5(coalesce(current_schema(), ''))";

const NOTIFY: &str = "SELECT pg_notify($1, text) FROM unnest($2::text[]) AS text";

/// What is told is worth no fsync: after a crash nobody waits for it.
const NOTIFIER_SETTINGS: &str = "SET synchronous_commit = off; SET statement_timeout = '5s'";

/// Where notices are told and heard. No `Debug`: it holds a password.
#[derive(Clone)]
pub struct Notifications {
    pub(super) endpoint: DatabaseEndpoint,
}

/// Hears what is told from when it was opened.
pub struct NotifyListener {
    // While it lives, the connection does.
    _connection: Connection,
    heard: mpsc::Receiver<String>,
}

/// Tells.
pub struct Notifier {
    connection: Connection,
    channel: String,
}

impl Notifications {
    /// Opens a connection that hears.
    pub async fn listen(&self) -> Result<NotifyListener, StoreError> {
        let doing = "listening to other nodes";
        let (sender, heard) = mpsc::channel(limits::BUS_PACKETS_MAX);
        let opened = Connection::open_hearing(&self.endpoint, sender).await;
        let connection = opened.map_err(StoreError::while_doing(doing))?;
        let channel = channel(&connection, doing).await?;
        let listening = connection.run(&format!("LISTEN {channel}")).await;
        listening.map_err(|error| StoreError::while_doing(doing)(plain(&error)))?;
        Ok(NotifyListener { _connection: connection, heard })
    }

    /// Opens a connection that tells.
    pub async fn notifier(&self) -> Result<Notifier, StoreError> {
        let doing = "connecting to tell other nodes";
        let opened = Connection::open(&self.endpoint, NOTIFIER_SETTINGS).await;
        let connection = opened.map_err(StoreError::while_doing(doing))?;
        let channel = channel(&connection, doing).await?;
        Ok(Notifier { connection, channel })
    }
}

impl NotifyListener {
    /// The next notice, also if this node told it; `None` once the connection is lost.
    pub async fn next(&mut self) -> Option<String> {
        self.heard.recv().await
    }
}

impl Notifier {
    /// Tells these texts in one transaction, in order, each below 8,000 bytes. Equal ones are told
    /// once. After an error it is of no use any more.
    pub async fn tell(&self, texts: &[String]) -> Result<(), StoreError> {
        let told = self.connection.query(NOTIFY, &[&self.channel, &texts]).await;
        let failed = |error| StoreError::while_doing("telling other nodes")(plain(&error));
        told.map(drop).map_err(failed)
    }
}

async fn channel(connection: &Connection, doing: &'static str) -> Result<String, StoreError> {
    let failed = |error| StoreError::while_doing(doing)(plain(&error));
    let rows = connection.query(CHANNEL, &[]).await.map_err(failed)?;
    rows[0].try_get(0).map_err(failed)
}
