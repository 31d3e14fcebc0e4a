//! LISTEN and NOTIFY: short texts between connected nodes (D-0040).
//!
//! Sending and receiving use separate connections. Notifications are lost if no node listens, or if
//! they arrive faster than they are received, so callers number them to detect gaps. Callers
//! reconnect after an error.

use confab_domain::limits;
use tokio::sync::mpsc;

use crate::error::StoreError;
use crate::postgres::connections::connection::{Connection, plain};
use crate::postgres::connections::endpoint::DatabaseEndpoint;

/// Query for the name of the notification channel, which includes a hash of the schema's name:
/// notifications are shared by the whole database.
const CHANNEL: &str = "SELECT 'confab_' || md5(coalesce(current_schema(), ''))";

const NOTIFY: &str = "SELECT pg_notify($1, text) FROM unnest($2::text[]) AS text";

/// Settings for sending. Notifications need no fsync: after a crash of the database, no node waits
/// for them.
const NOTIFIER_SETTINGS: &str = "SET synchronous_commit = off; SET statement_timeout = '5s'";

/// Opens connections for sending and receiving notifications. No `Debug`: its address contains a
/// password.
#[derive(Clone)]
pub struct Notifications {
    pub(crate) endpoint: DatabaseEndpoint,
}

/// Receiver of all notifications that are sent after it was opened.
pub struct NotifyListener {
    // Keeps the connection open.
    _connection: Connection,
    notifications: mpsc::Receiver<String>,
}

/// Sender of notifications to all listening nodes, including this one.
pub struct Notifier {
    connection: Connection,
    channel: String,
}

impl Notifications {
    /// Opens a connection for receiving.
    pub async fn listen(&self) -> Result<NotifyListener, StoreError> {
        let doing = "listening to other nodes";
        let (sender, notifications) = mpsc::channel(limits::BUS_PACKETS_MAX);
        let opened = Connection::open_listening(&self.endpoint, sender).await;
        let connection = opened.map_err(StoreError::while_doing(doing))?;
        let channel = channel(&connection, doing).await?;
        let listening = connection.run(&format!("LISTEN {channel}")).await;
        listening.map_err(|error| StoreError::while_doing(doing)(plain(&error)))?;
        Ok(NotifyListener { _connection: connection, notifications })
    }

    /// Opens a connection for sending.
    pub async fn notifier(&self) -> Result<Notifier, StoreError> {
        let doing = "connecting to notify other nodes";
        let opened = Connection::open(&self.endpoint, NOTIFIER_SETTINGS).await;
        let connection = opened.map_err(StoreError::while_doing(doing))?;
        let channel = channel(&connection, doing).await?;
        Ok(Notifier { connection, channel })
    }
}

impl NotifyListener {
    /// Returns the next notification, which may be one of this node; `None` once the connection is
    /// lost.
    pub async fn next(&mut self) -> Option<String> {
        self.notifications.recv().await
    }
}

impl Notifier {
    /// Sends these texts, each below 8,000 bytes, in order and in one transaction. Equal texts are
    /// sent once. After an error the connection must not be used again.
    pub async fn notify(&self, texts: &[String]) -> Result<(), StoreError> {
        let told = self.connection.query(NOTIFY, &[&self.channel, &texts]).await;
        let failed = |error| StoreError::while_doing("notifying other nodes")(plain(&error));
        told.map(drop).map_err(failed)
    }
}

async fn channel(connection: &Connection, doing: &'static str) -> Result<String, StoreError> {
    let failed = |error| StoreError::while_doing(doing)(plain(&error));
    let rows = connection.query(CHANNEL, &[]).await.map_err(failed)?;
    rows[0].try_get(0).map_err(failed)
}
