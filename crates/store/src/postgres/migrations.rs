//! Schema migrations: forward only, one transaction each, one node at a time.

use super::connections::connection::{Connection, plain};
use super::connections::endpoint::DatabaseEndpoint;
use super::connections::pooling;
use crate::error::StoreError;
use crate::schema_versions::SchemaVersions;
use crate::sql::Row;

/// All migrations, in order. Never edit a released one; add another, and regenerate
/// `docs/operating/citus.sql` (see the test).
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
    include_str!("migrations/0011_office.sql"),
    include_str!("migrations/0012_attempt_urls.sql"),
    include_str!("migrations/0013_conversations.sql"),
    include_str!("migrations/0014_hidden_messages.sql"),
    include_str!("migrations/0015_dashboard.sql"),
    include_str!("migrations/0016_trail.sql"),
    include_str!("migrations/0017_inbox.sql"),
    include_str!("migrations/0018_beside_conversations.sql"),
    include_str!("migrations/0019_office.sql"),
    include_str!("migrations/0020_search.sql"),
    include_str!("migrations/0021_edits.sql"),
    include_str!("migrations/0022_people.sql"),
    include_str!("migrations/0023_care.sql"),
    include_str!("migrations/0024_ratings.sql"),
    include_str!("migrations/0025_services.sql"),
    include_str!("migrations/0026_direct_sends.sql"),
    include_str!("migrations/0027_begun_sessions.sql"),
    include_str!("migrations/0028_files_place.sql"),
    include_str!("migrations/0029_versions.sql"),
    include_str!("migrations/0030_given_up_events.sql"),
    include_str!("migrations/0031_user_grams.sql"),
];

const VERSION_TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)";

const HAS_VERSION_TABLE: &str = "SELECT (to_regclass('schema_version') IS NOT NULL)::int::smallint";

const VERSION: &str = "SELECT max(version) FROM schema_version";

/// Limits the wait for locks, in case another node hangs in a migration.
const SETTINGS: &str = "SET client_min_messages = warning; SET lock_timeout = '60s'";

/// Key of an advisory lock that only this file takes.
const LOCK: i64 = 0x636f_6e66_6162;

/// Migrates the database, and returns the connection used. Nodes that start at the same time
/// migrate one after the other.
pub(super) async fn migrate(endpoint: &DatabaseEndpoint) -> Result<Connection, StoreError> {
    let connection = Connection::open(endpoint, SETTINGS).await;
    let connection = connection
        .map_err(|reason| format!("{}: {reason}", endpoint.shown()))
        .map_err(StoreError::while_doing("connecting to the database"))?;
    pooling::check(endpoint, &connection).await?;
    let SchemaVersions { found, known } = versions(&connection).await?;
    if (1..known).contains(&found) {
        tracing::info!(from_version = found, to_version = known, "schema upgrade started");
    }
    while !apply_next(&connection, MIGRATIONS).await? {}
    Ok(connection)
}

/// Applies the next migration, if any. Returns whether none is left.
async fn apply_next(connection: &Connection, migrations: &[&str]) -> Result<bool, StoreError> {
    let doing = "upgrading the schema";
    let failed = |error: tokio_postgres::Error| StoreError::while_doing(doing)(plain(&error));
    connection
        .run(&format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})"))
        .await
        .map_err(failed)?;
    connection.run(VERSION_TABLE).await.map_err(failed)?;
    let rows = connection.query(VERSION, &[]).await;
    let version: Option<i64> = rows.map_err(failed)?[0].get(0);
    let version = version.unwrap_or(0) as usize;
    if version > migrations.len() {
        return Err(StoreError::while_doing("reading the schema version")(format!(
            "the database has schema version {version}, but this confab supports only versions up \
             to {}; use a newer confab",
            migrations.len()
        )));
    }
    let Some(migration) = migrations.get(version) else {
        connection.run("COMMIT").await.map_err(failed)?;
        return Ok(true);
    };
    let note = noted(version + 1);
    connection.run(&format!("{migration};\n{note};\nCOMMIT")).await.map_err(failed)?;
    Ok(version + 1 == migrations.len())
}

/// Returns the schema version of the database, and the newest version that this program knows.
/// Creates nothing.
pub(super) async fn versions(connection: &Connection) -> Result<SchemaVersions, StoreError> {
    let doing = "reading the schema version";
    let failed = |error: tokio_postgres::Error| StoreError::while_doing(doing)(plain(&error));
    let known = MIGRATIONS.len();
    let there = connection.query(HAS_VERSION_TABLE, &[]).await.map_err(failed)?;
    if !there[0].flag(0)? {
        return Ok(SchemaVersions { found: 0, known });
    }
    let rows = connection.query(VERSION, &[]).await.map_err(failed)?;
    let found = rows[0].maybe_number(0)?.unwrap_or(0);
    Ok(SchemaVersions { found: found as usize, known })
}

fn noted(version: usize) -> String {
    format!("INSERT INTO schema_version VALUES ({version})")
}

#[cfg(test)]
mod tests {
    use confab_test_servers::postgres::shared;

    use super::*;
    use crate::before_realms;
    use crate::location::Location;
    use crate::tables::{apps, user_grams};

    /// Returns the script that prepares an empty Citus database for its first node.
    fn for_citus() -> String {
        let mut text = "-- Made from the migrations of crates/store/src/postgres; \
            a test keeps it up to date.\n\
            -- Apply it to a fresh database on the coordinator, before the first node starts:\n\
            --   psql --set ON_ERROR_STOP=1 --single-transaction --file citus.sql DATABASE\n\n\
            CREATE EXTENSION IF NOT EXISTS citus;\n\n"
            .to_owned();
        for (done, migration) in MIGRATIONS.iter().enumerate() {
            text += &format!("{migration}\n{VERSION_TABLE};\n{};\n\n", noted(done + 1));
        }
        text + include_str!("migrations/citus.sql")
    }

    #[tokio::test]
    async fn the_realm_migration_moves_only_customers_into_their_channels() {
        let url = shared().new_schema();
        let Location::Postgres(endpoint) = Location::database(&url).expect("a valid address")
        else {
            panic!("an address of a PostgreSQL")
        };
        let connection = Connection::open(&endpoint, SETTINGS).await.expect("connects");
        while !apply_next(&connection, &MIGRATIONS[..before_realms::VERSION]).await.expect("done") {
        }
        shared().psql_at(&url, before_realms::ROWS);
        migrate(&endpoint).await.expect("migrated");
        for (question, answer) in before_realms::FOUND {
            assert_eq!(shared().psql_at(&url, question).trim(), *answer, "{question}");
        }
    }

    #[tokio::test]
    async fn users_of_earlier_versions_are_indexed_like_new_users() {
        let url = shared().new_schema();
        let Location::Postgres(endpoint) = Location::database(&url).expect("a valid address")
        else {
            panic!("an address of a PostgreSQL")
        };
        let connection = Connection::open(&endpoint, SETTINGS).await.expect("connects");
        while !apply_next(&connection, &MIGRATIONS[..30]).await.expect("done") {}
        shared().psql_at(&url, user_grams::tests::USERS);
        migrate(&endpoint).await.expect("migrated");
        let rows = shared().psql_at(&url, user_grams::tests::ROWS);
        assert_eq!(rows.lines().collect::<Vec<_>>(), user_grams::tests::rows());
    }

    #[test]
    fn the_reserved_name_system_user_is_quoted_in_every_statement() {
        let asked = apps::STATEMENTS.iter().map(|(_, asked)| asked.postgres());
        let texts = asked.chain(apps::PREPARED.iter().map(|asked| asked.postgres()));
        for text in texts.chain(MIGRATIONS.iter().copied()) {
            // PostgreSQL 16 parses it as a function.
            assert!(!text.replace("\"system_user\"", "").contains("system_user"), "{text}");
        }
    }

    #[test]
    fn the_citus_script_matches_the_migrations() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operating/citus.sql");
        if std::env::var_os("CONFAB_WRITE_GENERATED").is_some() {
            std::fs::write(path, for_citus()).expect("written");
        }
        let written = std::fs::read_to_string(path).expect("read");
        let advice = "regenerate it: CONFAB_WRITE_GENERATED=1 cargo test -p confab-store citus";
        assert!(written == for_citus(), "docs/operating/citus.sql is out of date; {advice}");
    }
}
