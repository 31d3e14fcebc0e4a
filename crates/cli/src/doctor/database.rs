//! Checks the database: access, schema, and the settings of PostgreSQL.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use confab_domain::limits;
use confab_runtime::clock;
use confab_runtime::config::Config;
use confab_runtime::failures::chain;
use confab_runtime::files;
use confab_store::{
    DatabaseFacts, Location, ReadOnlyData, SchemaVersions, StoreError, examine, is_served,
};
use rustix::fs::Access;

use super::finding::Findings;
use super::{clock_difference, permissions};

/// Oldest supported version of PostgreSQL, as `server_version_num`. Older versions lack features
/// that the schema needs.
const VERSION_MIN: i64 = 130_000;
/// Maximum number of database connections of one node: readers, readers of lists, the writer, and
/// two for notifications.
const CONNECTIONS_OF_NODE: i64 =
    (limits::POSTGRES_READERS_MAX + limits::POSTGRES_LISTERS_MAX + 1 + 2) as i64;
/// Files that a server reads and writes; the first is the database itself.
const FILES: [&str; 4] = ["confab.db", "confab.db-wal", "confab.db-shm", "confab.lock"];

/// The stored data, for the checks that read it.
pub(super) enum Data {
    /// The data can be read; its schema is that of this version or an older one.
    Read(Box<ReadOnlyData>),
    /// There is no data yet.
    None,
    /// The data cannot be read, or only by a newer version of Confab.
    Unread,
}

/// Checks the database. Returns the data, and whether a running server uses it; `None` if that is
/// unknown.
pub(super) async fn check(config: &Config, findings: &mut Findings) -> (Data, Option<bool>) {
    let place = files::named_place(config).unwrap_or_default();
    match examine(&config.location.clone().with_files_in(place)).await {
        Ok(None) => check_folder(&config.location, findings).await,
        Ok(Some(facts)) => {
            clock_difference::check(findings, "the database", clock::now(), facts.now);
            check_postgres(&facts, &config.location.shown(), findings);
            let opened = ReadOnlyData::open(&config.location).await;
            (check_data(opened, findings), Some(facts.nodes_serving > 0))
        }
        Err(error) => {
            findings.trouble(
                "database",
                format!("{}: {}", config.location.shown(), chain(&error)),
                "start the database, or correct database_url",
            );
            (Data::Unread, None)
        }
    }
}

async fn check_folder(location: &Location, findings: &mut Findings) -> (Data, Option<bool>) {
    let Location::Folder(folder) = location else { return (Data::Unread, None) };
    let is_served = is_served(folder).ok();
    if let Some(denied) = denied(folder) {
        let found = format!("this user may not read and write {}", denied.display());
        findings.trouble("database", found, permissions::advice(folder));
        return (Data::Unread, is_served);
    }
    if let Ok(file) = std::fs::metadata(folder.join(FILES[0])) {
        let mb = file.len() / 1_000_000;
        let found = format!("{mb} MB in {}; `confab check` verifies all of it", folder.display());
        findings.ok("database", found);
    }
    (check_data(ReadOnlyData::open(location).await, findings), is_served)
}

/// Returns the first database file that this user may not read and write.
fn denied(folder: &Path) -> Option<PathBuf> {
    let wanted = Access::READ_OK | Access::WRITE_OK;
    FILES.iter().map(|name| folder.join(name)).find(|it| permissions::is_denied(it, wanted))
}

fn check_data(opened: Result<Option<ReadOnlyData>, StoreError>, findings: &mut Findings) -> Data {
    match opened {
        Ok(Some(data)) => {
            check_schema(data.schema(), findings);
            let is_known = data.schema().found <= data.schema().known;
            if is_known { Data::Read(Box::new(data)) } else { Data::Unread }
        }
        Ok(None) => {
            findings.ok("schema", "does not exist yet; the first start creates it");
            Data::None
        }
        Err(error) => {
            let advice = "run `confab check` to find the damage";
            findings.trouble("database", chain(&error), advice);
            Data::Unread
        }
    }
}

fn check_schema(SchemaVersions { found, known }: SchemaVersions, findings: &mut Findings) {
    match found.cmp(&known) {
        Ordering::Equal => findings.ok("schema", format!("version {found}, as this Confab needs")),
        Ordering::Less => findings.warning(
            "schema",
            format!("version {found}, older than version {known} of this Confab"),
            "the next start migrates it, which cannot be undone: read CHANGELOG.md and make a \
             backup first (docs/operating/upgrade.md)",
        ),
        Ordering::Greater => findings.trouble(
            "schema",
            format!("version {found}, newer than version {known} of this Confab"),
            "use the version of Confab that last used this data, or a newer one",
        ),
    }
}

fn check_postgres(facts: &DatabaseFacts, shown: &str, findings: &mut Findings) {
    let (major, minor) = (facts.version / 10_000, facts.version % 10_000);
    let before = findings.0.len();
    if facts.version < VERSION_MIN {
        let found = format!("{shown} has version {major}.{minor}");
        findings.trouble("database", found, "upgrade PostgreSQL to version 13 or newer");
    }
    if facts.is_read_only {
        let found = format!("{shown} accepts no writes: it is a standby, or read-only");
        let advice = "set database_url to the primary, or to several hosts with \
            target_session_attrs=read-write";
        findings.trouble("database", found, advice);
    }
    if !facts.has_fsync || !facts.has_full_pages {
        let found =
            "fsync or full_page_writes is off: a power failure destroys acknowledged messages";
        findings.trouble(
            "database",
            found,
            "set both to on in postgresql.conf, and restart PostgreSQL",
        );
    }
    if facts.nodes_elsewhere > 0 {
        let count = facts.nodes_elsewhere;
        let found = format!("{count} other nodes store uploaded files in another place");
        let advice = "set the same s3_endpoint and other s3 settings on every node, or mount one \
            folder as `files` in the data folder of every node; until then, this node does not \
            start";
        findings.trouble("database", found, advice);
    }
    let free = facts.connections_max - facts.connections_reserved - facts.connections_used;
    if free < CONNECTIONS_OF_NODE {
        let found = format!("{free} of {} connections are free", facts.connections_max);
        let advice =
            format!("raise max_connections: a node opens up to {CONNECTIONS_OF_NODE} connections");
        findings.warning("database", found, advice);
    }
    if !facts.has_checksums {
        let found = "its pages have no checksums, so damage is not detected";
        findings.warning("database", found, "stop PostgreSQL and run pg_checksums --enable");
    }
    if facts.public_may_connect {
        let found = "every role of this PostgreSQL may connect to the database, and could flood \
            the notifications between nodes (LISTEN and NOTIFY need no privilege)";
        let advice = "REVOKE CONNECT ON DATABASE … FROM PUBLIC; the owner can still connect \
            (docs/operating/postgresql.md)";
        findings.warning("database", found, advice);
    }
    if findings.0.len() == before {
        let commit = &facts.synchronous_commit;
        findings.ok(
            "database",
            format!(
                "{shown}, version {major}.{minor}, {free} connections free, synchronous_commit \
                 {commit} (servers set it to on)"
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use confab_domain::time::Timestamp;

    use super::*;
    use crate::doctor::finding::Level;

    fn healthy() -> DatabaseFacts {
        DatabaseFacts {
            version: 150_004,
            connections_max: 100,
            connections_reserved: 3,
            connections_used: 5,
            has_fsync: true,
            has_full_pages: true,
            synchronous_commit: "on".to_owned(),
            is_read_only: false,
            has_checksums: true,
            now: Timestamp(0),
            public_may_connect: false,
            nodes_serving: 0,
            nodes_elsewhere: 0,
        }
    }

    fn found(facts: &DatabaseFacts) -> (Level, String) {
        let mut findings = Findings::default();
        check_postgres(facts, "PostgreSQL chat at db:5432", &mut findings);
        assert_eq!(findings.0.len(), 1, "{:?}", findings.0);
        (findings.0[0].level, findings.0[0].found.clone())
    }

    #[test]
    fn an_older_schema_is_a_warning_and_a_newer_one_is_trouble() {
        for (found, level) in [(28, Level::Ok), (20, Level::Warning), (29, Level::Trouble)] {
            let mut findings = Findings::default();
            check_schema(SchemaVersions { found, known: 28 }, &mut findings);
            assert_eq!(findings.0[0].level, level, "{found}");
            assert_eq!(findings.0[0].advice.is_empty(), level == Level::Ok);
        }
    }

    #[test]
    fn a_healthy_database_is_described_with_its_version_and_free_connections() {
        let (level, said) = found(&healthy());
        assert_eq!(level, Level::Ok);
        assert!(said.contains("version 15.4, 92 connections free"), "{said}");
    }

    #[test]
    fn each_harmful_database_setting_is_reported_with_its_level() {
        for (facts, level, part) in [
            (DatabaseFacts { version: 120_001, ..healthy() }, Level::Trouble, "version 12.1"),
            (
                DatabaseFacts { is_read_only: true, ..healthy() },
                Level::Trouble,
                "accepts no writes",
            ),
            (DatabaseFacts { has_fsync: false, ..healthy() }, Level::Trouble, "fsync"),
            (DatabaseFacts { has_full_pages: false, ..healthy() }, Level::Trouble, "full_page"),
            (DatabaseFacts { nodes_elsewhere: 2, ..healthy() }, Level::Trouble, "2 other nodes"),
            (DatabaseFacts { connections_used: 90, ..healthy() }, Level::Warning, "7 of 100"),
            (DatabaseFacts { has_checksums: false, ..healthy() }, Level::Warning, "checksums"),
            (
                DatabaseFacts { public_may_connect: true, ..healthy() },
                Level::Warning,
                "every role of this PostgreSQL may connect",
            ),
        ] {
            let (found, said) = found(&facts);
            assert_eq!(found, level, "{said}");
            assert!(said.contains(part), "{said}");
        }
    }
}
