//! One connection, with its prepared statements, and what its errors mean.

use std::collections::HashMap;
use std::future::poll_fn;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_postgres::error::{Severity, SqlState};
use tokio_postgres::types::ToSql;
use tokio_postgres::{AsyncMessage, Client, Error, Row};

use super::endpoint::DatabaseEndpoint;
use super::in_order::{BoxedFuture, in_order};
use crate::error::{Fault, Trouble};
use crate::sql::Statement;

/// Each statement sees what was committed before it, whatever the database's default is: what is
/// read after a lock was waited for must be new.
const READ_COMMITTED: &str = "SET default_transaction_isolation = 'read committed'";

/// Several addresses may have to be tried.
const OPENED_WITHIN: Duration = Duration::from_secs(5);

/// Parameters of a statement.
pub(super) type Params<'a> = &'a [&'a (dyn ToSql + Sync)];

/// For statements that look up keys: always by index, joined in the order they are written in, and
/// planned once. The planner would else guess from statistics that a young table does not have.
pub(super) const KEY_LOOKUPS: &str = "SET enable_seqscan = off; SET enable_bitmapscan = off; \
    SET enable_hashjoin = off; SET enable_mergejoin = off; SET join_collapse_limit = 1; \
    SET jit = off; SET plan_cache_mode = force_generic_plan";

/// A connection and the statements prepared on it.
pub(super) struct Connection {
    client: Client,
    prepared: Mutex<HashMap<String, Prepared>>,
}

/// A statement that the server knows: what is sent with it goes out at once. Only a connection
/// makes one, and it is good on that connection only.
#[derive(Clone)]
pub(super) struct Prepared(tokio_postgres::Statement);

impl Connection {
    /// Connects and applies these settings, or says why it cannot. What drives the connection runs
    /// on this runtime.
    pub(super) async fn open(endpoint: &DatabaseEndpoint, settings: &str) -> Result<Self, Fault> {
        let opened = timeout(OPENED_WITHIN, Self::open_now(endpoint, settings)).await;
        opened.map_err(|_| Fault::from("the database does not answer"))?.map_err(|e| plain(&e))
    }

    async fn open_now(endpoint: &DatabaseEndpoint, settings: &str) -> Result<Self, Error> {
        let (client, connection) = endpoint.config.connect(endpoint.tls.clone()).await?;
        // Its end shows in every call of the client.
        tokio::spawn(async move { drop(connection.await) });
        client.batch_execute(&format!("{READ_COMMITTED}; {settings}")).await?;
        Ok(Self { client, prepared: Mutex::default() })
    }

    /// Connects to hear notices: they are given to `heard`, which ends with the connection.
    pub(super) async fn open_hearing(
        endpoint: &DatabaseEndpoint,
        heard: mpsc::Sender<String>,
    ) -> Result<Self, Fault> {
        let connecting = endpoint.config.connect(endpoint.tls.clone());
        let opened = timeout(OPENED_WITHIN, connecting).await;
        let opened = opened.map_err(|_| Fault::from("the database does not answer"))?;
        let (client, connection) = opened.map_err(|error| plain(&error))?;
        tokio::spawn(pass_on(connection, heard));
        Ok(Self { client, prepared: Mutex::default() })
    }

    /// Prepares these statements, all at once.
    pub(super) async fn prepare_all(
        &self,
        statements: impl Iterator<Item = &'static Statement>,
    ) -> Result<(), Error> {
        let mut preparing: Vec<BoxedFuture<'_, Prepared, Error>> = Vec::new();
        for statement in statements {
            preparing.push(Box::pin(self.prepared(statement.postgres())));
        }
        in_order(preparing).await.map(drop)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// The statement, prepared at its first use.
    pub(super) async fn prepared(&self, text: &str) -> Result<Prepared, Error> {
        if let Some(statement) = self.prepared.lock().get(text) {
            return Ok(statement.clone());
        }
        let statement = Prepared(self.client.prepare(text).await?);
        self.prepared.lock().insert(text.to_owned(), statement.clone());
        Ok(statement)
    }

    pub(super) async fn query(&self, text: &str, params: Params<'_>) -> Result<Vec<Row>, Error> {
        let statement = self.prepared(text).await?;
        self.query_prepared(&statement, params).await
    }

    pub(super) async fn execute(&self, text: &str, params: Params<'_>) -> Result<u64, Error> {
        let statement = self.prepared(text).await?;
        self.execute_prepared(&statement, params).await
    }

    /// The first poll sends it.
    pub(super) async fn query_prepared(
        &self,
        statement: &Prepared,
        params: Params<'_>,
    ) -> Result<Vec<Row>, Error> {
        self.client.query(&statement.0, params).await
    }

    /// The first poll sends it.
    pub(super) async fn execute_prepared(
        &self,
        statement: &Prepared,
        params: Params<'_>,
    ) -> Result<u64, Error> {
        self.client.execute(&statement.0, params).await
    }

    /// Several statements without parameters.
    pub(super) async fn run(&self, text: &str) -> Result<(), Error> {
        self.client.batch_execute(text).await
    }
}

/// The error in one line, without the detail, which may quote what was to be stored.
pub(super) fn plain(error: &Error) -> Fault {
    match error.as_db_error() {
        Some(db) => {
            let reason = format!("{} {}: {}", db.severity(), db.code().code(), db.message());
            Fault { trouble: trouble(db.code()), reason }
        }
        None => {
            let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
            format!("{error}{}", cause.unwrap_or_default()).into()
        }
    }
}

fn trouble(code: &SqlState) -> Trouble {
    match code {
        code if *code == SqlState::DISK_FULL => Trouble::Full,
        code if *code == SqlState::READ_ONLY_SQL_TRANSACTION => Trouble::ReadOnly,
        code if *code == SqlState::IO_ERROR => Trouble::Disk,
        code if [SqlState::DATA_CORRUPTED, SqlState::INDEX_CORRUPTED].contains(code) => {
            Trouble::Damaged
        }
        _ => Trouble::Unavailable,
    }
}

/// What an error says about its connection and about trying again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The connection is gone, or is of no use any more.
    ConnectionLost,
    /// Somebody else wrote at the same time; what was to be done may work now.
    Conflict,
    /// Somebody holds a lock for too long.
    Locked,
    /// The server cannot write now: read-only, out of space.
    ServerUnwell,
    /// This statement cannot work.
    Wrong,
}

pub(super) fn meaning(error: &Error) -> Meaning {
    let Some(db) = error.as_db_error() else { return Meaning::ConnectionLost };
    // The server ends the connection. (The other field with the severity may be translated.)
    if matches!(db.parsed_severity(), Some(Severity::Fatal | Severity::Panic)) {
        return Meaning::ConnectionLost;
    }
    let code = db.code();
    let conflicts = [
        SqlState::UNIQUE_VIOLATION,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
    ];
    // A table changed under a prepared statement, or a pooler lost it: a new connection helps.
    let is_outdated = *code == SqlState::INVALID_SQL_STATEMENT_NAME
        || *code == SqlState::FEATURE_NOT_SUPPORTED && db.message().contains("cached plan");
    let is_unwell = *code == SqlState::READ_ONLY_SQL_TRANSACTION
        || ["53", "58"].iter().any(|class| code.code().starts_with(class));
    if conflicts.contains(code) {
        Meaning::Conflict
    } else if *code == SqlState::LOCK_NOT_AVAILABLE {
        Meaning::Locked
    } else if is_outdated {
        Meaning::ConnectionLost
    } else if is_unwell {
        Meaning::ServerUnwell
    } else {
        Meaning::Wrong
    }
}

/// Gives every notice to whoever hears, until the connection ends. What finds no room is dropped.
pub(super) async fn pass_on<Stream, Tls>(
    mut connection: tokio_postgres::Connection<Stream, Tls>,
    heard: mpsc::Sender<String>,
) where
    Stream: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
    Tls: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let AsyncMessage::Notification(notification) = message {
            let _ = heard.try_send(notification.payload().to_owned());
        }
    }
}
