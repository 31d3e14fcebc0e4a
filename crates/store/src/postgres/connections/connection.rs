//! A database connection with its prepared statements, and the classification of errors and
//! warnings.

use std::collections::HashMap;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::try_join_all;
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_postgres::error::{DbError, Severity, SqlState};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::ToSql;
use tokio_postgres::{AsyncMessage, Client, Error, Row, RowStream, SimpleQueryMessage, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::endpoint::DatabaseEndpoint;
use super::in_order::{BoxedFuture, in_order};
use crate::error::{Fault, StoreProblem};
use crate::sql::{self, Statement};

/// Makes each statement see all earlier commits, whatever the database's default isolation: reads
/// after waiting for a lock must be current.
const READ_COMMITTED: &str = "SET default_transaction_isolation = 'read committed'";

/// Whether the database has Citus (D-0014).
const IS_SHARDING: &str = "SELECT to_regproc('citus_version') IS NOT NULL";

/// Timeout for opening a connection, including attempts to reach several hosts.
const OPENED_WITHIN: Duration = Duration::from_secs(5);

const NO_ANSWER: &str = "the database does not answer";

/// The I/O half of a connection, which runs as a task.
type Driver =
    tokio_postgres::Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

pub(crate) type Params<'a> = &'a [&'a (dyn ToSql + Sync)];

/// Settings for statements that look up keys: always by index, joined in the written order, and
/// planned once. The planner would otherwise rely on statistics that a young table lacks. Citus
/// finds shards by the values of parameters, so there it plans with them.
pub(crate) const KEY_LOOKUPS: &str = "SET enable_seqscan = off; SET enable_bitmapscan = off; \
    SET enable_hashjoin = off; SET enable_mergejoin = off; SET join_collapse_limit = 1; \
    SET jit = off; SELECT set_config('plan_cache_mode', CASE \
    WHEN to_regproc('citus_version') IS NULL THEN 'force_generic_plan' ELSE 'auto' END, false)";

/// Settings for statements whose cost grows with the stored data: planned for the actual
/// parameters. A generic plan would assume that every range of time is short and that optional
/// filters are in use.
pub(crate) const LISTS: &str = "SET jit = off; SET plan_cache_mode = force_custom_plan";

/// A connection and the statements prepared on it.
pub(crate) struct Connection {
    client: Client,
    prepared: Mutex<HashMap<String, PreparedStatement>>,
    is_sharding: bool,
    warned: LastWarning,
}

/// The last warning of the database server that no caller has read yet.
type LastWarning = Arc<Mutex<Option<String>>>;

/// A statement that the database server has prepared, so that it can be sent without another round
/// trip. Only a connection creates one, and it is valid on that connection only.
#[derive(Clone)]
pub(crate) struct PreparedStatement(tokio_postgres::Statement);

impl Connection {
    /// Connects and applies these settings. The I/O task runs on the current runtime.
    pub(crate) async fn open(endpoint: &DatabaseEndpoint, settings: &str) -> Result<Self, Fault> {
        let (client, driver) = connect(endpoint).await?;
        let opened = timeout(OPENED_WITHIN, Self::set_up(client, driver, settings)).await;
        opened.map_err(|_| Fault::from(NO_ANSWER))?.map_err(|error| plain(&error))
    }

    async fn set_up(client: Client, driver: Driver, settings: &str) -> Result<Self, Error> {
        let warned = LastWarning::default();
        // The client's calls report the end of this task.
        tokio::spawn(keep_warnings(driver, warned.clone()));
        let settings = format!("{READ_COMMITTED}; {settings}; {IS_SHARDING}");
        let answers = client.simple_query(&settings).await?;
        let is_sharding = answers
            .iter()
            .rev()
            .find_map(first_value)
            .is_some_and(|first_value| first_value == "t");
        // Warnings from connecting concern no statement.
        drop(warned.lock().take());
        Ok(Self { client, prepared: Mutex::default(), is_sharding, warned })
    }

    /// Connects, and forwards received notifications to `notifications` until the connection ends.
    pub(crate) async fn open_listening(
        endpoint: &DatabaseEndpoint,
        notifications: mpsc::Sender<String>,
    ) -> Result<Self, Fault> {
        let (client, driver) = connect(endpoint).await?;
        tokio::spawn(pass_on(driver, notifications));
        let (prepared, warned) = (Mutex::default(), LastWarning::default());
        Ok(Self { client, prepared, is_sharding: false, warned })
    }

    /// Prepares these statements concurrently.
    pub(crate) async fn prepare_all(
        &self,
        statements: impl Iterator<Item = &'static Statement>,
    ) -> Result<(), Error> {
        let mut preparing: Vec<BoxedFuture<'_, PreparedStatement, Error>> = Vec::new();
        for statement in statements {
            preparing.push(Box::pin(self.prepared(statement.postgres())));
        }
        in_order(preparing).await.map(drop)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Whether the database has Citus, which needs other statement texts and locks rows one by one.
    pub(crate) fn is_sharding(&self) -> bool {
        self.is_sharding
    }

    /// Returns the last warning since the previous call. A warning that the server sends before an
    /// answer is available once the answer is.
    pub(crate) fn take_warning(&self) -> Option<Fault> {
        self.warned.lock().take().map(Fault::from)
    }

    /// Returns the statement, preparing it at its first use.
    pub(crate) async fn prepared(&self, text: &str) -> Result<PreparedStatement, Error> {
        if let Some(statement) = self.prepared.lock().get(text) {
            return Ok(statement.clone());
        }
        let prepared = match self.is_sharding {
            true => self.client.prepare(&sql::for_shards(text)).await?,
            false => self.client.prepare(text).await?,
        };
        let statement = PreparedStatement(prepared);
        self.prepared.lock().insert(text.to_owned(), statement.clone());
        Ok(statement)
    }

    pub(crate) async fn query(&self, text: &str, params: Params<'_>) -> Result<Vec<Row>, Error> {
        let statement = self.prepared(text).await?;
        self.query_prepared(&statement, params).await
    }

    /// Returns the rows of each of these statements, which are sent concurrently.
    pub(crate) async fn query_all(
        &self,
        asked: &[(&str, Params<'_>)],
    ) -> Result<Vec<Vec<Row>>, Error> {
        try_join_all(asked.iter().map(|(text, params)| self.query(text, params))).await
    }

    /// Returns a stream of rows. Rows do not accumulate in memory: a slow consumer slows down the
    /// connection instead.
    pub(crate) async fn streamed(
        &self,
        text: &str,
        params: Params<'_>,
    ) -> Result<RowStream, Error> {
        let statement = self.prepared(text).await?;
        self.client.query_raw(&statement.0, params.iter().copied()).await
    }

    pub(crate) async fn execute(&self, text: &str, params: Params<'_>) -> Result<u64, Error> {
        let statement = self.prepared(text).await?;
        self.execute_prepared(&statement, params).await
    }

    /// Runs a query, which is sent when the future is first polled.
    pub(crate) async fn query_prepared(
        &self,
        statement: &PreparedStatement,
        params: Params<'_>,
    ) -> Result<Vec<Row>, Error> {
        self.client.query(&statement.0, params).await
    }

    /// Runs a statement, which is sent when the future is first polled.
    pub(crate) async fn execute_prepared(
        &self,
        statement: &PreparedStatement,
        params: Params<'_>,
    ) -> Result<u64, Error> {
        self.client.execute(&statement.0, params).await
    }

    /// Runs a statement without parameters and without preparing it. Returns the first value of its
    /// result.
    pub(crate) async fn first_value(&self, text: &str) -> Result<Option<String>, Error> {
        let answers = self.client.simple_query(text).await?;
        Ok(answers.iter().find_map(first_value).map(str::to_owned))
    }

    /// Asks the server to cancel the running statement. Failures are ignored: the statement timeout
    /// then ends the statement.
    pub(crate) async fn cancel(&self, endpoint: &DatabaseEndpoint) {
        let token = self.client.cancel_token();
        let cancelled = timeout(OPENED_WITHIN, token.cancel_query(endpoint.tls.clone()));
        if let Ok(Err(error)) = cancelled.await {
            tracing::debug!(error = %plain(&error), "failed to cancel a PostgreSQL statement");
        }
    }

    /// Runs several statements without parameters.
    pub(crate) async fn run(&self, text: &str) -> Result<(), Error> {
        self.client.batch_execute(text).await
    }
}

/// Connects to the first suitable host. Each host gets an equal share of the timeout, so that a
/// host that accepts connections but never answers does not prevent attempts on the next one.
async fn connect(endpoint: &DatabaseEndpoint) -> Result<(Client, Driver), Fault> {
    let share = OPENED_WITHIN / u32::try_from(endpoint.hosts.len()).unwrap_or(u32::MAX).max(1);
    let mut fault = Fault::from("the address names no host");
    for host in &endpoint.hosts {
        fault = match timeout(share, host.connect(endpoint.tls.clone())).await {
            Ok(Ok(connected)) => return Ok(connected),
            Ok(Err(error)) => plain(&error),
            Err(_) => NO_ANSWER.into(),
        };
    }
    Err(fault)
}

/// Formats an error as one line, without its detail field, which may contain stored values.
pub(crate) fn plain(error: &Error) -> Fault {
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

fn trouble(code: &SqlState) -> StoreProblem {
    match code {
        code if *code == SqlState::DISK_FULL => StoreProblem::Full,
        code if *code == SqlState::READ_ONLY_SQL_TRANSACTION => StoreProblem::ReadOnly,
        code if *code == SqlState::IO_ERROR => StoreProblem::Disk,
        code if [SqlState::DATA_CORRUPTED, SqlState::INDEX_CORRUPTED].contains(code) => {
            StoreProblem::Damaged
        }
        _ => StoreProblem::Unavailable,
    }
}

/// Whether an error leaves its connection usable, and whether a retry may succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorMeaning {
    /// The connection is lost or no longer usable.
    ConnectionLost,
    /// A concurrent write conflicted; a retry may succeed.
    Conflict,
    /// A lock was not available in time.
    Locked,
    /// The server cannot write at present: it is read-only or out of space.
    ServerUnwell,
    /// The statement can never succeed.
    Wrong,
}

pub(crate) fn meaning(error: &Error) -> ErrorMeaning {
    let Some(db) = error.as_db_error() else { return ErrorMeaning::ConnectionLost };
    // The server closes the connection. (The other severity field may be translated.)
    if matches!(db.parsed_severity(), Some(Severity::Fatal | Severity::Panic)) {
        return ErrorMeaning::ConnectionLost;
    }
    let code = db.code();
    let conflicts = [
        SqlState::UNIQUE_VIOLATION,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
    ];
    // A table changed under a prepared statement, or a pooler dropped it: a new connection helps.
    let is_outdated = *code == SqlState::INVALID_SQL_STATEMENT_NAME
        || *code == SqlState::FEATURE_NOT_SUPPORTED && db.message().contains("cached plan");
    let is_unwell = *code == SqlState::READ_ONLY_SQL_TRANSACTION
        || ["53", "58"].iter().any(|class| code.code().starts_with(class));
    if conflicts.contains(code) {
        ErrorMeaning::Conflict
    } else if *code == SqlState::LOCK_NOT_AVAILABLE {
        ErrorMeaning::Locked
    } else if is_outdated {
        ErrorMeaning::ConnectionLost
    } else if is_unwell {
        ErrorMeaning::ServerUnwell
    } else {
        ErrorMeaning::Wrong
    }
}

/// Returns the first value of a row.
fn first_value(answer: &SimpleQueryMessage) -> Option<&str> {
    match answer {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    }
}

/// Formats a warning as one line, without its detail field, which may contain stored values. `None`
/// for other notices.
fn warning(notice: &DbError) -> Option<String> {
    let is_warning = notice.parsed_severity() == Some(Severity::Warning);
    is_warning.then(|| format!("WARNING {}: {}", notice.code().code(), notice.message()))
}

/// Drives the connection until it ends, and stores the last warning that the server sends.
async fn keep_warnings<Stream, Tls>(
    mut connection: tokio_postgres::Connection<Stream, Tls>,
    warned: LastWarning,
) where
    Stream: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
    Tls: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let AsyncMessage::Notice(notice) = message
            && let Some(warning) = warning(&notice)
        {
            *warned.lock() = Some(warning);
        }
    }
}

/// Drives the connection until it ends, and forwards its notifications. Notifications are dropped
/// while the channel is full.
pub(crate) async fn pass_on<Stream, Tls>(
    mut connection: tokio_postgres::Connection<Stream, Tls>,
    notifications: mpsc::Sender<String>,
) where
    Stream: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
    Tls: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let AsyncMessage::Notification(notification) = message {
            let _ = notifications.try_send(notification.payload().to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use confab_test_servers::postgres::shared;

    use super::*;
    use crate::location::Location;

    async fn opened(url: &str, settings: &str) -> Connection {
        let Location::Postgres(endpoint) = Location::database(url).expect("valid") else {
            panic!("an address of a PostgreSQL")
        };
        Connection::open(&endpoint, settings).await.expect("opens")
    }

    async fn first(db: &Connection, text: &str) -> String {
        db.query(text, &[]).await.expect("read")[0].get(0)
    }

    #[tokio::test]
    async fn warnings_are_available_with_the_answer_and_notices_are_ignored() {
        let db = opened(&shared().new_schema(), "SET client_min_messages = notice").await;
        for turn in 0..100 {
            let text = format!("DO $$ BEGIN RAISE WARNING 'turn {turn}'; END $$");
            db.run(&text).await.expect("runs");
            let warned = db.take_warning().expect("the warning comes with the answer");
            assert_eq!(warned.reason, format!("WARNING 01000: turn {turn}"));
        }
        db.run("DO $$ BEGIN RAISE NOTICE 'nothing'; END $$").await.expect("runs");
        assert!(db.take_warning().is_none());
    }

    #[tokio::test]
    async fn a_sharding_database_is_detected_and_plans_with_parameter_values() {
        let url = shared().new_schema();
        let text = concat!("SELECT ", crate::sql::on_shards!("'sharded'", "'plain'"), "::text");
        let plain = opened(&url, KEY_LOOKUPS).await;
        assert!(!plain.is_sharding());
        assert_eq!(first(&plain, text).await, "plain");
        assert_eq!(first(&plain, "SHOW plan_cache_mode").await, "force_generic_plan");
        shared().psql_at(
            &url,
            "CREATE FUNCTION citus_version() RETURNS text LANGUAGE sql RETURN 'not really'",
        );
        let sharding = opened(&url, KEY_LOOKUPS).await;
        assert!(sharding.is_sharding());
        assert_eq!(first(&sharding, text).await, "sharded");
        assert_eq!(first(&sharding, "SHOW plan_cache_mode").await, "auto");
    }
}
