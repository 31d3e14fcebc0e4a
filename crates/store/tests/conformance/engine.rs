//! Engines under test. All differences between engines in this suite are here.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use confab_domain::decision::stamp::Stamps;
use confab_store::{Location, Registry, Sealer, Store, StoreError};
use confab_test_servers::postgres::shared;
use tempfile::TempDir;

use crate::keys::TestKeys;

/// Location of one store.
#[derive(Clone)]
pub enum Engine {
    /// A data folder, deleted with its last clone.
    Sqlite(Arc<TempDir>),
    /// A schema of the test process's own PostgreSQL.
    Postgres(Arc<str>),
    /// A PostgreSQL schema that appears to have Citus, so that rooms are locked one by one.
    PostgresSharded(Arc<str>),
}

impl Engine {
    pub fn sqlite() -> Self {
        Self::Sqlite(Arc::new(tempfile::tempdir().expect("a folder for the test")))
    }

    pub fn postgres() -> Self {
        Self::Postgres(shared().new_schema().into())
    }

    pub fn postgres_sharded() -> Self {
        Self::sharding(shared().new_schema())
    }

    fn sharding(url: String) -> Self {
        let sharding = "CREATE FUNCTION citus_version() RETURNS text LANGUAGE sql \
            RETURN 'not really'";
        shared().psql_at(&url, sharding);
        Self::PostgresSharded(url.into())
    }

    /// Returns an empty location of the same engine, in the same database if it has one.
    pub fn another(&self) -> Self {
        match self {
            Self::Sqlite(_) => Self::sqlite(),
            Self::Postgres(url) => Self::Postgres(shared().schema_of(url).into()),
            Self::PostgresSharded(url) => Self::sharding(shared().schema_of(url)),
        }
    }

    pub fn location(&self) -> Location {
        match self {
            Self::Sqlite(folder) => Location::folder(folder.path()),
            Self::Postgres(url) | Self::PostgresSharded(url) => {
                Location::database(url).expect("a valid address")
            }
        }
    }

    pub async fn open(&self, stamps: Arc<dyn Stamps>) -> Result<Store, StoreError> {
        open(&self.location(), stamps).await
    }

    pub async fn registry(&self, stamps: Arc<dyn Stamps>) -> Registry {
        let sealer = sealer(&self.location()).await.expect("the keys are valid");
        Registry::open(&self.location(), stamps, sealer).await.expect("the registry opens")
    }

    /// Returns the location as it would be after a crash at this moment. Nothing may be writing to
    /// a folder: its two files are not copied atomically.
    pub async fn after_crash(&self) -> Self {
        match self {
            Self::Sqlite(folder) => {
                let copy = tempfile::tempdir().expect("a folder for the copy");
                for name in ["confab.db", "confab.db-wal"] {
                    let copied = fs::copy(folder.path().join(name), copy.path().join(name));
                    copied.expect("a store in use has this file");
                }
                Self::Sqlite(Arc::new(copy))
            }
            Self::Postgres(url) => Self::Postgres(copy_schema(url).into()),
            Self::PostgresSharded(url) => Self::sharding(copy_schema(url)),
        }
    }

    /// Runs a statement as an attacker with access to the database alone would.
    pub fn sql(&self, text: &str) {
        match self {
            Self::Sqlite(folder) => {
                let db = rusqlite::Connection::open(folder.path().join("confab.db"));
                db.expect("opens").execute_batch(text).expect("runs");
            }
            Self::Postgres(url) | Self::PostgresSharded(url) => drop(shared().psql_at(url, text)),
        }
    }

    /// Returns the full content of the database: the bytes of its files, or every row as text,
    /// ordered by table and row, because the database returns both in any order.
    pub fn all_texts(&self) -> String {
        match self {
            Self::Sqlite(folder) => ["confab.db", "confab.db-wal"]
                .iter()
                .filter_map(|name| fs::read(folder.path().join(name)).ok())
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .collect(),
            Self::Postgres(url) | Self::PostgresSharded(url) => shared().psql_at(
                url,
                "SELECT relname, query_to_xml( \
                 format('SELECT t::text FROM %I t ORDER BY 1', relname), true, false, '') \
                 FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition \
                 AND relnamespace = current_schema()::regnamespace ORDER BY relname",
            ),
        }
    }

    pub fn folder(&self) -> &Path {
        match self {
            Self::Sqlite(folder) => folder.path(),
            _ => panic!("only the embedded store has a folder"),
        }
    }
}

/// Opens a store with the key that all tests use.
pub async fn open(location: &Location, stamps: Arc<dyn Stamps>) -> Result<Store, StoreError> {
    Store::open(location, stamps, sealer(location).await?).await
}

async fn sealer(location: &Location) -> Result<Arc<Sealer>, StoreError> {
    Sealer::open(location, Box::new(TestKeys::new(&[1]))).await
}

/// Copies all committed data in one snapshot, as a crash would leave it. Returns the URL of the
/// copy.
fn copy_schema(from_url: &str) -> String {
    let to_url = shared().schema_of(from_url);
    let schema = |url: &str| shared().psql_at(url, "SELECT current_schema()").trim().to_owned();
    let (from, to) = (schema(from_url), schema(&to_url));
    // First tables, then partitions, then rows.
    let copying = format!(
        "BEGIN ISOLATION LEVEL REPEATABLE READ; \
         DO $$ DECLARE it record; BEGIN \
         FOR it IN SELECT oid, relname, relkind FROM pg_class WHERE relkind IN ('r', 'p') \
         AND relnamespace = '{from}'::regnamespace AND NOT relispartition LOOP \
         EXECUTE format('CREATE TABLE {to}.%I (LIKE {from}.%I INCLUDING ALL) %s', it.relname, \
         it.relname, 'PARTITION BY ' || pg_get_partkeydef(it.oid)); \
         FOR it IN SELECT it.relname AS parent, c.relname, pg_get_expr(c.relpartbound, c.oid) \
         AS bound FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
         WHERE i.inhparent = it.oid AND it.relkind = 'p' LOOP \
         EXECUTE format('CREATE TABLE {to}.%I PARTITION OF {to}.%I %s', it.relname, it.parent, \
         it.bound); END LOOP; \
         END LOOP; \
         FOR it IN SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') \
         AND relnamespace = '{from}'::regnamespace AND NOT relispartition LOOP \
         EXECUTE format('INSERT INTO {to}.%I SELECT * FROM {from}.%I', it.relname, it.relname); \
         END LOOP; END $$; COMMIT"
    );
    shared().psql_at(&to_url, &copying);
    to_url
}
