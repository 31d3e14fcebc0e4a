//! Where the data are.

use confab_store::{DatabaseFacts, Location, examine};

use super::clock_difference;
use super::finding::Findings;
use crate::clock;
use crate::config::Config;
use crate::failures::chain;
use crate::files;

/// Older ones lack what the schema needs.
const VERSION_MIN: i64 = 130_000;
/// What one node opens at most (docs/operating/postgresql.md).
const CONNECTIONS_OF_NODE: i64 = 13;

pub(super) async fn look(config: &Config, findings: &mut Findings) {
    let place = files::named_place(config).unwrap_or_default();
    match examine(&config.location.clone().with_files_in(place)).await {
        Ok(None) => look_at_folder(&config.location, findings),
        Ok(Some(facts)) => {
            clock_difference::look(findings, "the database", clock::now(), facts.now);
            look_at_postgres(&facts, &config.location.shown(), findings);
        }
        Err(error) => findings.trouble(
            "database",
            format!("{}: {}", config.location.shown(), chain(&error)),
            "start it, or correct database_url; nothing works without it",
        ),
    }
}

fn look_at_folder(location: &Location, findings: &mut Findings) {
    let Location::Folder(folder) = location else { return };
    match std::fs::metadata(folder.join("confab.db")) {
        Ok(file) => {
            let mb = file.len() / 1_000_000;
            let found = format!("{mb} MB in {}; `confab check` reads all of it", folder.display());
            findings.ok("database", found);
        }
        Err(_) => findings.ok("database", "there is none yet; the first start makes it"),
    }
}

fn look_at_postgres(facts: &DatabaseFacts, shown: &str, findings: &mut Findings) {
    let (major, minor) = (facts.version / 10_000, facts.version % 10_000);
    let before = findings.0.len();
    if facts.version < VERSION_MIN {
        let found = format!("{shown} has version {major}.{minor}");
        findings.trouble("database", found, "version 13 or newer is needed");
    }
    if facts.is_read_only {
        let found = format!("{shown} takes no writes: it is a standby, or set to read only");
        let advice = "name the primary in database_url, or several hosts with \
            target_session_attrs=read-write";
        findings.trouble("database", found, advice);
    }
    if !facts.has_fsync || !facts.has_full_pages {
        let found = "fsync or full_page_writes is off: a power cut destroys what was acknowledged";
        findings.trouble("database", found, "set both to on in postgresql.conf, and restart it");
    }
    if facts.nodes_elsewhere > 0 {
        let count = facts.nodes_elsewhere;
        let found = format!("{count} other nodes keep uploaded files elsewhere");
        let advice = "set s3_endpoint and its companions on every node, or mount one folder as \
            `files` in the data folder of every node; until then this one does not start";
        findings.trouble("database", found, advice);
    }
    let free = facts.connections_max - facts.connections_reserved - facts.connections_used;
    if free < CONNECTIONS_OF_NODE {
        let found = format!("{free} of {} connections are free", facts.connections_max);
        let advice =
            format!("raise max_connections: a node opens up to {CONNECTIONS_OF_NODE} of them");
        findings.warning("database", found, advice);
    }
    if !facts.has_checksums {
        let found = "it keeps no checksums of its pages, so that damage goes unnoticed";
        findings.warning("database", found, "stop it once and run pg_checksums --enable");
    }
    if findings.0.len() == before {
        let commit = &facts.synchronous_commit;
        findings.ok(
            "database",
            format!(
                "{shown}, version {major}.{minor}, {free} connections free, synchronous_commit \
                 {commit} (nodes set it to on)"
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use confab_domain::time::Timestamp;

    use super::*;
    use crate::commands::doctor::finding::Level;

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
            nodes_elsewhere: 0,
        }
    }

    fn found(facts: &DatabaseFacts) -> (Level, String) {
        let mut findings = Findings::default();
        look_at_postgres(facts, "PostgreSQL chat at db:5432", &mut findings);
        assert_eq!(findings.0.len(), 1, "{:?}", findings.0);
        (findings.0[0].level, findings.0[0].found.clone())
    }

    #[test]
    fn a_database_as_it_should_be_is_described() {
        let (level, said) = found(&healthy());
        assert_eq!(level, Level::Ok);
        assert!(said.contains("version 15.4, 92 connections free"), "{said}");
    }

    #[test]
    fn each_setting_that_loses_data_or_refuses_work_is_named() {
        for (facts, level, part) in [
            (DatabaseFacts { version: 120_001, ..healthy() }, Level::Trouble, "version 12.1"),
            (DatabaseFacts { is_read_only: true, ..healthy() }, Level::Trouble, "no writes"),
            (DatabaseFacts { has_fsync: false, ..healthy() }, Level::Trouble, "fsync"),
            (DatabaseFacts { has_full_pages: false, ..healthy() }, Level::Trouble, "full_page"),
            (DatabaseFacts { nodes_elsewhere: 2, ..healthy() }, Level::Trouble, "2 other nodes"),
            (DatabaseFacts { connections_used: 90, ..healthy() }, Level::Warning, "7 of 100"),
            (DatabaseFacts { has_checksums: false, ..healthy() }, Level::Warning, "checksums"),
        ] {
            let (found, said) = found(&facts);
            assert_eq!(found, level, "{said}");
            assert!(said.contains(part), "{said}");
        }
    }
}
            nodes_serving: 0,
