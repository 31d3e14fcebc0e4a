//! Schema migrations: forward only, one transaction each, with a copy of an existing file before
//! its first change.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::connections::{checksums, native};
use super::data_folder::{loss, mark, not_opened};
use crate::error::{Fault, StoreError, StoreProblem};
use crate::schema_versions::SchemaVersions;

/// All migrations, in order. Never edit a released one; add another.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_start.sql"),
    include_str!("migrations/0002_webhooks.sql"),
    include_str!("migrations/0003_keys.sql"),
    include_str!("migrations/0004_deliveries.sql"),
    include_str!("migrations/0005_omnichannel.sql"),
    include_str!("migrations/0006_clients.sql"),
    include_str!("migrations/0007_realms.sql"),
    include_str!("migrations/0008_visitor_secrets.sql"),
    include_str!("migrations/0009_upload_usage.sql"),
    include_str!("migrations/0010_sealed_secrets.sql"),
    include_str!("migrations/0011_write_checks.sql"),
    include_str!("migrations/0012_office.sql"),
    include_str!("migrations/0013_attempt_urls.sql"),
    include_str!("migrations/0014_conversations.sql"),
    include_str!("migrations/0015_hidden_messages.sql"),
    include_str!("migrations/0016_dashboard.sql"),
    include_str!("migrations/0017_trail.sql"),
    include_str!("migrations/0018_inbox.sql"),
    include_str!("migrations/0019_beside_conversations.sql"),
    include_str!("migrations/0020_office.sql"),
    include_str!("migrations/0021_search.sql"),
    include_str!("migrations/0022_edits.sql"),
    include_str!("migrations/0023_people.sql"),
    include_str!("migrations/0024_care.sql"),
    include_str!("migrations/0025_ratings.sql"),
    include_str!("migrations/0026_services.sql"),
    include_str!("migrations/0027_direct_sends.sql"),
    include_str!("migrations/0028_begun_sessions.sql"),
    include_str!("migrations/0029_given_up_events.sql"),
    include_str!("migrations/0030_user_grams.sql"),
];

/// Opens the file for writing and migrates it. Fails for a file that lacks acknowledged messages,
/// without changing it.
pub(super) fn open_up_to_date(path: &Path) -> Result<Connection, StoreError> {
    let marked = mark::marked(path.parent().unwrap_or(path))?;
    loss::refuse_without_file(path, &marked)?;
    let mut connection = open(path)?;
    loss::refuse(&connection, path, &marked)?;
    migrate(&mut connection, path, MIGRATIONS)?;
    note_checksums(&connection, path)?;
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
        .map_err(StoreError::while_doing("opening the database"))?;
    Ok(connection)
}

/// Opens the file like [`open_up_to_date`], under the folder's lock, and adds page checksums to a
/// file of an older version.
pub(super) fn open_with_checksums(path: &Path) -> Result<Connection, StoreError> {
    let breaks_off = loss::inspect_log(path)?;
    let connection = open_up_to_date(path)?;
    if breaks_off {
        loss::restart_log(&connection)?;
    }
    if are_on(&connection)? || !checksums::add(&connection, path)? {
        return Ok(connection);
    }
    // Connections learn of checksums when they are opened, and none may be open during `verify`.
    drop(connection);
    checksums::verify(path)?;
    open_up_to_date(path)
}

fn are_on(connection: &Connection) -> Result<bool, StoreError> {
    checksums::are_on(connection).map_err(StoreError::while_doing("opening the database"))
}

/// Records that a file has checksums. If that is recorded and the file's header contradicts it, the
/// header is damaged.
fn note_checksums(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let doing = "opening the database";
    let noted =
        connection.query_row("SELECT has_checksums FROM write_checks", [], |row| row.get(0));
    let noted: bool = noted.map_err(StoreError::while_doing(doing))?;
    match (are_on(connection)?, noted) {
        (true, false) => {
            let noted = connection.execute_batch("UPDATE write_checks SET has_checksums = 1");
            noted.map_err(StoreError::while_doing(doing))
        }
        (false, true) => {
            let reason =
                format!("the header of {} is damaged: it has no checksums", path.display());
            Err(StoreError::while_doing(doing)(Fault { trouble: StoreProblem::Damaged, reason }))
        }
        _ => Ok(()),
    }
}

/// Opens the file for writing. A commit is on disk when it returns: `synchronous=FULL`.
fn open(path: &Path) -> Result<Connection, StoreError> {
    native::use_checksums()?;
    let failed = |error| not_opened::to_write(path, error);
    let connection = Connection::open(path).map_err(failed)?;
    let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
        PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -16384; \
        PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;";
    connection
        .busy_timeout(Duration::from_secs(10))
        // Nothing may be removed before the check for missing messages.
        .and_then(|()| connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true))
        .and_then(|_| connection.query_row("PRAGMA page_count", [], |row| row.get::<_, i64>(0)))
        .and_then(|pages| if pages == 0 { checksums::reserve(&connection) } else { Ok(()) })
        .and_then(|()| connection.execute_batch(settings))
        // One plan per statement, independent of parameters: otherwise some are parsed every time.
        .and_then(|()| connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true))
        .map(drop)
        .map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(connection)
}

fn migrate(
    connection: &mut Connection,
    path: &Path,
    migrations: &[&str],
) -> Result<(), StoreError> {
    let version = version(connection)?;
    if version > migrations.len() {
        return Err(StoreError::while_doing("reading the schema version")(format!(
            "{} has schema version {version}, but this confab supports only versions up to {}; \
             use a newer confab",
            path.display(),
            migrations.len()
        )));
    }
    if version == migrations.len() {
        return Ok(());
    }
    if version > 0 {
        copy_before_change(connection, path, version)?;
        tracing::info!(
            path = %path.display(),
            from_version = version,
            to_version = migrations.len(),
            "schema upgrade started"
        );
    }
    for (done, migration) in migrations.iter().enumerate().skip(version) {
        apply(connection, migration, done + 1)
            .map_err(StoreError::while_doing("upgrading the schema"))?;
    }
    Ok(())
}

fn apply(connection: &mut Connection, migration: &str, version: usize) -> rusqlite::Result<()> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    // Another process may have migrated first.
    let at: u32 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if (at as usize) < version {
        transaction.execute_batch(migration)?;
        transaction.execute_batch(&format!("PRAGMA user_version = {version}"))?;
    }
    transaction.commit()
}

/// Returns the schema version of the file, and the newest version that this program knows.
pub(super) fn versions(connection: &Connection) -> Result<SchemaVersions, StoreError> {
    Ok(SchemaVersions { found: version(connection)?, known: MIGRATIONS.len() })
}

fn version(connection: &Connection) -> Result<usize, StoreError> {
    connection
        .query_row("PRAGMA user_version", [], |row| row.get::<_, u32>(0))
        .map(|version| version as usize)
        .map_err(StoreError::while_doing("reading the schema version"))
}

/// Copies the database before a schema upgrade to a file such as `confab.db.before-version-2`,
/// complete and consistent.
fn copy_before_change(
    connection: &Connection,
    path: &Path,
    version: usize,
) -> Result<(), StoreError> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".before-version-{}", version + 1));
    let copy = PathBuf::from(name);
    if copy.exists() {
        // A previous start made the copy and stopped before the change, so it is current.
        return Ok(());
    }
    // Copying may take long.
    tracing::info!(path = %copy.display(), "copying the database before the schema upgrade");
    crate::sqlite::maintenance::backup::copy_whole(connection, &copy)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parking_lot::Mutex;

    use super::*;
    use crate::before_realms;
    use crate::tables::user_grams;

    const NEXT: &str = "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;";

    /// Returns all migrations, followed by this one.
    fn and(step: &'static str) -> Vec<&'static str> {
        MIGRATIONS.iter().copied().chain([step]).collect()
    }

    fn copy_of(path: &Path) -> PathBuf {
        path.with_extension(format!("db.before-version-{}", MIGRATIONS.len() + 1))
    }

    /// Collects log lines.
    #[derive(Default)]
    struct Log(Mutex<String>);

    impl tracing::Subscriber for Log {
        fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
            true
        }

        fn event(&self, event: &tracing::Event<'_>) {
            event.record(&mut |_: &tracing::field::Field, value: &dyn std::fmt::Debug| {
                self.0.lock().push_str(&format!("{value:?}\n"));
            });
        }

        fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
            tracing::span::Id::from_u64(1)
        }

        fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
        fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
        fn enter(&self, _: &tracing::span::Id) {}
        fn exit(&self, _: &tracing::span::Id) {}
    }

    #[test]
    fn users_of_earlier_versions_are_indexed_like_new_users() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("confab.db");
        let mut connection = open(&path).expect("opens");
        migrate(&mut connection, &path, &MIGRATIONS[..29]).expect("created");
        connection.execute_batch(user_grams::tests::USERS).expect("registered");
        migrate(&mut connection, &path, MIGRATIONS).expect("migrated");
        let mut rows = connection.prepare(user_grams::tests::ROWS).expect("valid");
        let rows = rows.query_map([], |row| row.get(0)).expect("read");
        let rows: Vec<String> = rows.collect::<Result<_, _>>().expect("read");
        assert_eq!(rows, user_grams::tests::rows());
        let found =
            "SELECT count(*) FROM user_gram_index WHERE user_gram_index MATCH '\"12cge794b0\" *'";
        let found: i64 = connection.query_row(found, [], |row| row.get(0)).expect("read");
        assert_eq!(found, 1);
    }

    #[test]
    fn a_migration_logs_the_copy_and_both_schema_versions() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("confab.db");
        let log = Arc::new(Log::default());
        let posted = || std::mem::take(&mut *log.0.lock());
        // With a single subscriber, the first thread to reach a log line decides for all threads
        // whether it is enabled, and that may be another test.
        let _second = tracing::Dispatch::new(tracing::subscriber::NoSubscriber::new());
        tracing::subscriber::with_default(log.clone(), || {
            drop(open_up_to_date(&path).expect("created"));
            assert_eq!(posted(), "", "creating a file is not a migration");
            let mut connection = open(&path).expect("opens");
            migrate(&mut connection, &path, &and(NEXT)).expect("migrated");
        });
        let (posted, steps) = (posted(), MIGRATIONS.len());
        let (copy, before) = (copy_of(&path).display().to_string(), steps.to_string());
        let logged: Vec<_> = posted.lines().collect();
        for value in [copy, before, (steps + 1).to_string()] {
            assert!(logged.contains(&value.as_str()), "{value} in {posted}");
        }
    }

    #[test]
    fn an_existing_file_is_copied_before_its_migration_and_a_new_one_is_not() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("confab.db");
        drop(open_up_to_date(&path).expect("created"));
        let copy = copy_of(&path);
        assert!(!copy.exists());

        let mut connection = open(&path).expect("opens");
        connection.execute_batch("INSERT INTO places_written VALUES (7)").expect("marked");
        migrate(&mut connection, &path, &and(NEXT)).expect("migrated");
        connection.execute_batch("SELECT id FROM later").expect("changed");

        let before = Connection::open(&copy).expect("the copy opens");
        assert_eq!(version(&before).expect("version"), MIGRATIONS.len());
        let marks: i64 = before
            .query_row("SELECT count(*) FROM places_written", [], |row| row.get(0))
            .expect("counted");
        assert_eq!(marks, 2);
        assert!(before.execute_batch("SELECT id FROM later").is_err());
    }

    #[test]
    fn an_app_created_before_key_staging_has_one_key() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("confab.db");
        let mut connection = open(&path).expect("opens");
        migrate(&mut connection, &path, &MIGRATIONS[..2]).expect("created");
        let app = "INSERT INTO apps (id, code, name, sdk_secret, secret_key, system_user, \
            created_at) VALUES (1, 'shop', 'Shop', 'sdk', 'key', 2, 3)";
        connection.execute_batch(app).expect("written");
        drop(connection);
        let connection = open_up_to_date(&path).expect("migrated");
        let keys = connection.query_row("SELECT secret_key, other_key FROM apps", [], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?))
        });
        assert_eq!(keys.expect("read"), ("key".to_owned(), None));
    }

    #[tokio::test]
    async fn plain_text_secrets_of_an_old_file_are_sealed_and_leave_no_trace() {
        use confab_domain::people::user::UserId;

        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("confab.db");
        let mut connection = open(&path).expect("opens");
        // Migrations before `0010_sealed_secrets.sql`.
        let before = MIGRATIONS.iter().position(|step| step.contains("secrets_in_clear"));
        let before = &MIGRATIONS[..before.expect("the step")];
        migrate(&mut connection, &path, before).expect("created");
        let filled = "INSERT INTO apps (id, code, name, sdk_secret, secret_key, system_user, \
            created_at, other_key) VALUES (1, 'shop', 'Shop', 'clear-sdk', 'clear-key', 2, 3, \
            'clear-other'); \
            WITH RECURSIVE n (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < 1500) \
            INSERT INTO users (id, app, user_id, username, avatar_url, is_active, created_at, \
            updated_at, token) SELECT n, 1, 'user-' || n, '', '', 1, 3, 3, 'clear-token-' || n \
            FROM n; \
            INSERT INTO channels (id, app, kind, name, is_active, identifier_key, created_at, \
            updated_at) VALUES (5, 1, 'custom', 'SMS', 1, 'clear-channel', 3, 3);";
        connection.execute_batch(filled).expect("written");
        // Moved rows leave their old versions in free parts of pages.
        connection.execute_batch("DELETE FROM users WHERE id % 3 = 0").expect("deleted");
        drop(connection);

        let location = crate::Location::folder(folder.path());
        let keys = || {
            let seeds = std::sync::Arc::new(std::sync::Mutex::new(vec![1]));
            Box::new(crate::secrets::sealer::tests::SealerKeys(seeds))
        };
        let mut lines = 0;
        let secrets = crate::Secrets::open(&location, keys(), &mut |_| lines += 1).await;
        let secrets = secrets.expect("sealed");
        assert!(secrets.sealed_clear() && lines >= 4, "in several commits: {lines}");
        for name in ["confab.db", "confab.db-wal"] {
            let bytes = std::fs::read(folder.path().join(name)).unwrap_or_default();
            assert!(
                !bytes.windows(6).any(|part| part == b"clear-"),
                "no plain-text secret is left in {name}"
            );
        }
        let stamps = std::sync::Arc::new(crate::secrets::sealer::tests::NoStamps);
        let registry = crate::Registry::open(&location, stamps.clone(), secrets.sealer()).await;
        let app = registry.expect("opens").apps().await.expect("read").pop().expect("it exists");
        assert_eq!((app.sdk_secret.as_str(), app.secret_key.as_str()), ("clear-sdk", "clear-key"));
        assert_eq!(app.other_key.expect("staged").key, "clear-other");
        let store =
            crate::store::Store::open(&location, stamps, secrets.sealer()).await.expect("opens");
        let user = store.user_of_token("clear-token-1001").await.expect("read").expect("found");
        assert_eq!(user.user_id.as_str(), "user-1001");
        let user = UserId::parse("user_id", "user-1001").expect("valid");
        let token = store.token(user_app(), &user).await.expect("read");
        assert_eq!(token.as_deref(), Some("clear-token-1001"));
        let channels = store.channels(user_app()).await.expect("read");
        assert_eq!(channels[0].identifier_key, "clear-channel");
        store.close().await.expect("closes");
    }

    fn user_app() -> confab_domain::ids::AppId {
        confab_domain::ids::AppId(1)
    }

    #[test]
    fn the_realm_migration_moves_only_customers_into_their_channels() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("confab.db");
        let mut connection = open(&path).expect("opens");
        migrate(&mut connection, &path, &MIGRATIONS[..before_realms::VERSION]).expect("created");
        connection.execute_batch(before_realms::ROWS).expect("written");
        drop(connection);
        let connection = open_up_to_date(&path).expect("migrated");
        for (question, answer) in before_realms::FOUND {
            let mut statement = connection.prepare(question).expect("a statement");
            let lines = statement.query_map([], |row| row.get::<_, String>(0)).expect("read");
            let lines: Vec<_> = lines.map(|line| line.expect("a line")).collect();
            assert_eq!(lines.join("\n"), *answer, "{question}");
        }
    }

    #[test]
    fn conversations_of_earlier_versions_keep_their_agents_and_settings() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("confab.db");
        let mut connection = open(&path).expect("opens");
        let before = MIGRATIONS.iter().position(|step| step.contains("served_rooms"));
        migrate(&mut connection, &path, &MIGRATIONS[..before.expect("the step")]).expect("created");
        let rows = "INSERT INTO apps (id, code, name, sdk_secret, secret_key, \
            system_user, created_at) VALUES (1, 'a', '', '', '', 2, 3), \
            (2, 'b', '', '', '', 2, 3); \
            INSERT INTO settings VALUES (2, 'is_agent_takeover_enabled', 'true'); \
            INSERT INTO customer_rooms VALUES (10, 1, 5, 6, 20, 0, NULL, 0, NULL, NULL, 1, 1), \
            (11, 1, 5, 7, 21, 0, 1, 1, NULL, NULL, 1, 1), \
            (12, 1, 5, 8, 22, 1, NULL, 0, NULL, NULL, 1, 1); \
            INSERT INTO sessions VALUES (10, 20, 1, 9, 1, NULL, 1, 1, 1, 1, 1, NULL), \
            (12, 22, 1, 9, 1, NULL, 1, 1, 1, 1, 1, 2); \
            INSERT INTO room_agents VALUES (10, 9, 1)";
        connection.execute_batch(rows).expect("written");
        drop(connection);
        let connection = open_up_to_date(&path).expect("migrated");
        let found = |question: &str| {
            let found = connection.query_row(question, [], |row| row.get::<_, String>(0));
            found.expect("read")
        };
        let left = "SELECT group_concat(room || is_left_to_people) FROM customer_rooms";
        assert_eq!(found(left), "101,110,120", "bots stay off in conversations of agents");
        let served = "SELECT group_concat(room || ':' || agent) FROM served_rooms";
        assert_eq!(found(served), "12:9", "the agent of a resolved session is recorded");
        let settings = "SELECT group_concat(app || value) FROM settings";
        assert_eq!(found(settings), "1false,2true", "an app without the setting has it off");
    }

    /// Number of users that do not fit into the page cache of a connection, so that SQLite writes
    /// pages before the commit.
    const OLD_USERS: i64 = 3_000;

    #[test]
    fn a_file_of_an_earlier_version_gets_checksums_and_keeps_its_rows() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("confab.db");
        let old = Connection::open(&path).expect("opens");
        old.execute_batch(MIGRATIONS[0]).expect("created");
        old.execute_batch("PRAGMA journal_mode = WAL; PRAGMA user_version = 1; BEGIN")
            .expect("set");
        let insert = "INSERT INTO users VALUES (?1, 1, 'user' || ?1, '', '', ?2, 1, 1, 1, \
            'token' || ?1, NULL)";
        for number in 1..=OLD_USERS {
            old.execute(insert, (number, "x".repeat(8_000))).expect("inserted");
        }
        old.execute_batch("COMMIT").expect("committed");
        drop(old);

        let connection = open_with_checksums(&path).expect("opens");
        assert!(checksums::are_on(&connection).expect("the call succeeds"));
        let sum = "SELECT count(*), sum(length(extras)) FROM users";
        let read = |db: &Connection| db.query_row(sum, [], |row| Ok((row.get(0)?, row.get(1)?)));
        assert_eq!(read(&connection), Ok((OLD_USERS, OLD_USERS * 8_000)));
        let copy = folder.path().join("copy of it?.db");
        crate::sqlite::maintenance::backup::copy_whole(&connection, &copy).expect("copied");
        drop(connection);
        for path in [&path, &copy, &folder.path().join("confab.db.before-version-2")] {
            checksums::verify(path).expect("every page has its checksum");
            assert_eq!(
                read(&Connection::open(path).expect("opens")),
                Ok((OLD_USERS, OLD_USERS * 8_000))
            );
        }
        assert!(
            crate::sqlite::maintenance::check::check(folder.path(), &|_| {})
                .expect("read")
                .is_empty()
        );
    }

    #[test]
    fn a_file_header_without_checksums_is_reported_as_damage() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("confab.db");
        let connection = open_with_checksums(&path).expect("created");
        assert!(
            checksums::are_on(&connection).expect("the call succeeds"),
            "a new file has checksums"
        );
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("written");
        drop(connection);
        let mut bytes = std::fs::read(&path).expect("read");
        assert_eq!(bytes[20], 8);
        bytes[20] = 0;
        std::fs::write(&path, bytes).expect("written");
        let error = open_up_to_date(&path).expect_err("refused");
        assert_eq!(error.trouble, StoreProblem::Damaged, "{}", error.source);
    }

    #[test]
    fn a_failing_migration_changes_nothing() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("confab.db");
        let mut connection = open_up_to_date(&path).expect("created");
        let broken = "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT; SELECT nonsense;";
        assert!(migrate(&mut connection, &path, &and(broken)).is_err());
        assert_eq!(version(&connection).expect("version"), MIGRATIONS.len());
        assert!(connection.execute_batch("SELECT id FROM later").is_err());
    }

    #[test]
    fn a_file_of_a_newer_version_is_rejected() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("confab.db");
        let connection = open_up_to_date(&path).expect("created");
        connection.execute_batch("PRAGMA user_version = 99").expect("set");
        drop(connection);
        let error = open_up_to_date(&path).expect_err("refused");
        assert!(error.source.to_string().contains("use a newer confab"), "{}", error.source);
    }
}
