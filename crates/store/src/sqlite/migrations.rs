//! The schema's versions: forward only, each in one transaction, with a copy taken before the first
//! change of an existing file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use crate::error::StoreError;

/// Every step from an empty file to today, in order. Never edit one that was released; add one.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_start.sql"),
    include_str!("migrations/0002_webhooks.sql"),
    include_str!("migrations/0003_keys.sql"),
    include_str!("migrations/0004_deliveries.sql"),
    include_str!("migrations/0005_omnichannel.sql"),
    include_str!("migrations/0006_clients.sql"),
    include_str!("migrations/0009_doors.sql"),
];

/// Opens the file for writing and brings it up to date.
pub(super) fn open_up_to_date(path: &Path) -> Result<Connection, StoreError> {
    let mut connection = open(path)?;
    migrate(&mut connection, path, MIGRATIONS)?;
    Ok(connection)
}

/// Opens the file for writing. A commit is on disk when it returns: `synchronous=FULL`.
fn open(path: &Path) -> Result<Connection, StoreError> {
    let doing = "opening the database";
    let connection = Connection::open(path).map_err(StoreError::while_doing(doing))?;
    let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
        PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -16384; \
        PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;";
    connection
        .busy_timeout(Duration::from_secs(10))
        .and_then(|()| connection.execute_batch(settings))
        // One plan for a statement, whatever its parameters: else some are parsed every time.
        .and_then(|()| connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true))
        .map(drop)
        .map_err(StoreError::while_doing(doing))?;
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
            "{} has schema version {version}, this confab knows versions up to {}; \
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
    }
    for (done, migration) in migrations.iter().enumerate().skip(version) {
        apply(connection, migration, done + 1)
            .map_err(StoreError::while_doing("bringing the schema up to date"))?;
    }
    Ok(())
}

fn apply(connection: &mut Connection, migration: &str, version: usize) -> rusqlite::Result<()> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    // Another process may have been first.
    let at: u32 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if (at as usize) < version {
        transaction.execute_batch(migration)?;
        transaction.execute_batch(&format!("PRAGMA user_version = {version}"))?;
    }
    transaction.commit()
}

fn version(connection: &Connection) -> Result<usize, StoreError> {
    connection
        .query_row("PRAGMA user_version", [], |row| row.get::<_, u32>(0))
        .map(|version| version as usize)
        .map_err(StoreError::while_doing("reading the schema version"))
}

/// `confab.db` becomes `confab.db.before-version-2`, complete and consistent.
fn copy_before_change(
    connection: &Connection,
    path: &Path,
    version: usize,
) -> Result<(), StoreError> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".before-version-{}", version + 1));
    let copy = PathBuf::from(name);
    if copy.exists() {
        // An earlier start made it and did not get further; the file is still as it was then.
        return Ok(());
    }
    super::backup::copy_whole(connection, &copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEXT: &str = "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;";

    /// The steps of today and one more.
    fn and(step: &'static str) -> Vec<&'static str> {
        MIGRATIONS.iter().copied().chain([step]).collect()
    }

    fn copy_of(path: &Path) -> PathBuf {
        path.with_extension(format!("db.before-version-{}", MIGRATIONS.len() + 1))
    }

    #[test]
    fn an_existing_file_is_copied_before_it_is_changed_and_a_new_one_is_not() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("confab.db");
        drop(open_up_to_date(&path).expect("made"));
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
            .expect("counts");
        assert_eq!(marks, 2);
        assert!(before.execute_batch("SELECT id FROM later").is_err());
    }

    #[test]
    fn an_app_made_before_keys_could_be_staged_has_one_key() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("confab.db");
        let mut connection = open(&path).expect("opens");
        migrate(&mut connection, &path, &MIGRATIONS[..2]).expect("made");
        let app = "INSERT INTO apps (id, code, name, sdk_secret, secret_key, system_user, \
            created_at) VALUES (1, 'shop', 'Shop', 'sdk', 'key', 2, 3)";
        connection.execute_batch(app).expect("written");
        drop(connection);
        let connection = open_up_to_date(&path).expect("migrated");
        let by_code = crate::statements::APP_BY_CODE.sqlite();
        let app = connection.query_row(by_code, ["shop"], crate::sqlite::rows::app).expect("read");
        assert_eq!(app.secret_key, "key");
        assert!(app.other_key.is_none());
    }

    #[test]
    fn a_failing_step_changes_nothing() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("confab.db");
        let mut connection = open_up_to_date(&path).expect("made");
        let broken = "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT; SELECT nonsense;";
        assert!(migrate(&mut connection, &path, &and(broken)).is_err());
        assert_eq!(version(&connection).expect("version"), MIGRATIONS.len());
        assert!(connection.execute_batch("SELECT id FROM later").is_err());
    }

    #[test]
    fn a_file_of_a_newer_confab_is_refused() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("confab.db");
        let connection = open_up_to_date(&path).expect("made");
        connection.execute_batch("PRAGMA user_version = 99").expect("set");
        drop(connection);
        let error = open_up_to_date(&path).expect_err("refused");
        assert!(error.source.to_string().contains("use a newer confab"), "{}", error.source);
    }
}
