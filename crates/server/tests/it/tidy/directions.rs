//! Who may import whom (design: allowed directions).

use super::uses::imported;
use super::{Source, report, root, sources};

/// Whether a file imports a module or a crate, in a `use` line or in passing.
fn imports(source: &Source, module: &str) -> bool {
    let within = format!("{module}::");
    let is_it = |path: &String| path == module || path.starts_with(&within);
    imported(&source.text).iter().any(is_it)
        || source.shipped_lines().any(|(_, line)| !is_comment(line) && line.contains(&within))
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// Files that are chosen and import what they must not.
fn breaches(is_chosen: impl Fn(&Source) -> bool, forbidden: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| is_chosen(source)) {
        let imported = forbidden.iter().filter(|module| imports(source, module));
        found.extend(imported.map(|module| format!("{} imports {module}", source.path)));
    }
    found
}

#[test]
fn the_rules_depend_on_nothing_of_ours() {
    let ours = ["confab_wire", "confab_store", "confab_server"];
    let found = breaches(|source| source.is_in("crates/domain/"), &ours);
    report("domain depends on nothing of ours", &found);
}

#[test]
fn the_rules_do_no_io_and_know_no_clock_no_json_and_no_async() {
    let foreign = [
        "serde",
        "serde_json",
        "tokio",
        "rusqlite",
        "axum",
        "jiff",
        "rand",
        "tracing",
        "std::fs",
        "std::io",
        "std::net",
        "std::env",
        "std::thread",
        "SystemTime",
        "Instant",
    ];
    let found = breaches(|source| source.is_in("crates/domain/src/"), &foreign);
    report("domain is plain values and pure functions", &found);
}

#[test]
fn wire_and_store_never_meet() {
    let found = breaches(|source| source.is_in("crates/wire/"), &["confab_store", "confab_server"]);
    report("wire knows only domain", &found);
    let found = breaches(|source| source.is_in("crates/store/"), &["confab_wire", "confab_server"]);
    report("store knows only domain", &found);
}

#[test]
fn the_manifests_say_the_same() {
    let allowed = [("domain", &[][..]), ("wire", &["domain"]), ("store", &["domain"])];
    for (krate, ours) in allowed {
        let path = root().join(format!("crates/{krate}/Cargo.toml"));
        let manifest = std::fs::read_to_string(path).expect("a manifest");
        let (shipped, _) = manifest.split_once("[dev-dependencies]").unwrap_or((&manifest, ""));
        let lines = shipped.lines().filter_map(|line| line.strip_prefix("confab-"));
        let named = |line: &str| line.split(['.', ' ', '=']).next().unwrap_or_default().to_owned();
        let found: Vec<_> = lines.map(named).collect();
        assert_eq!(found, ours, "dependencies of {krate}");
    }
}

#[test]
fn only_the_store_knows_sql() {
    let found = breaches(|source| !source.is_in("crates/store/"), &["rusqlite", "tokio_postgres"]);
    report("store is the only SQL", &found);
}

#[test]
fn nobody_imports_http_but_what_starts_it() {
    let is_chosen = |source: &Source| {
        source.is_in("crates/server/src/")
            && !source.is_in("crates/server/src/http/")
            && !source.is_in("crates/server/src/commands/")
            // A frame is kept as the text that sockets take, so that nobody checks it again.
            && source.path != "crates/server/src/realtime/signal.rs"
            // Receivers of deliveries in tests are small servers.
            && !source.is_test()
    };
    report("nobody imports http", &breaches(is_chosen, &["crate::http", "axum"]));
}

#[test]
fn only_outbound_opens_connections_to_others() {
    let is_chosen = |source: &Source| {
        source.is_in("crates/server/src/")
            && !source.is_in("crates/server/src/outbound/")
            // Commands call their own server and the developer's receiver; they are not the server,
            // and who types the address may call it.
            && source.path != "crates/server/src/commands/api_client.rs"
            // Calls the one NATS that the operator names (D-0040).
            && source.path != "crates/server/src/bus/nats.rs"
            && source.path != "crates/server/src/bus/nats_url.rs"
            // These take connections in.
            && source.path != "crates/server/src/tls.rs"
            && source.path != "crates/server/src/http/accepting.rs"
            && !source.is_test()
    };
    let ways = [
        "TcpStream",
        "UdpSocket",
        "hyper::client",
        "reqwest",
        "tokio_rustls",
        "lookup_host",
        "async_nats::",
    ];
    let mut found = breaches(is_chosen, &ways);
    for source in sources().iter().filter(|source| is_chosen(source)) {
        let is_way = |line: &str| ways.iter().any(|way| line.contains(way));
        let lines = source.shipped_lines().filter(|(_, line)| !is_comment(line) && is_way(line));
        found.extend(lines.map(|(number, _)| format!("{}:{number}", source.path)));
    }
    report("one outbound client for the whole server", &found);
}

#[test]
fn nobody_imports_the_commands() {
    let is_chosen = |source: &Source| {
        source.is_in("crates/server/src/") && !source.is_in("crates/server/src/commands/")
    };
    report("commands are called by main only", &breaches(is_chosen, &["crate::commands"]));
}

#[test]
fn only_http_and_the_chores_call_the_actions() {
    let is_chosen = |source: &Source| {
        source.is_in("crates/server/src/")
            && !source.is_in("crates/server/src/http/")
            && !source.is_in("crates/server/src/actions/")
            && !source.is_in("crates/server/src/background.rs")
            // Chores call them as well.
            && !source.is_in("crates/server/src/allocation.rs")
    };
    report("actions are called by http and by chores", &breaches(is_chosen, &["crate::actions"]));
}

/// Who may hand something to the store's writer: the one place that does what follows from it,
/// what is of no app, and what happened long ago on another server (D-0175).
const WRITERS: [&str; 4] = [
    "crates/server/src/decide.rs",
    "crates/server/src/actions/purge_expired.rs",
    "crates/server/src/actions/persist_presences.rs",
    "crates/server/src/commands/moving/importer.rs",
];

#[test]
fn every_write_of_an_app_is_followed_in_one_place() {
    let mut found = Vec::new();
    for source in sources().iter().filter(|it| it.is_in("crates/server/src/")) {
        let asks = |line: &str| line.contains("store().decide(") || line.contains("store.decide(");
        let writes = source.shipped_lines().filter(|(_, line)| asks(line));
        found.extend(writes.map(|(number, _)| (source.path.clone(), number)));
    }
    assert!(found.iter().any(|(path, _)| path == WRITERS[0]), "the writes are found");
    found.retain(|(path, _)| !WRITERS.contains(&path.as_str()));
    let found: Vec<_> = found.iter().map(|(path, number)| format!("{path}:{number}")).collect();
    report("writes go through services.decide", &found);
}

#[test]
fn only_the_domain_decides() {
    let mut found = Vec::new();
    for source in sources().iter().filter(|it| it.path.contains("/src/") && !it.is_test()) {
        if source.is_in("crates/domain/") || source.path == WRITERS[0] || source.is_in("bench/") {
            continue;
        }
        let decides =
            |line: &str| line.contains("Decision::new(") || line.contains("Decision::nothing(");
        let lines = source.shipped_lines().filter(|(_, line)| decides(line));
        found.extend(lines.map(|(number, _)| format!("{}:{number}", source.path)));
    }
    report("decisions are made in the domain", &found);
}

#[test]
fn time_and_random_bytes_are_made_in_one_place_each() {
    let makers =
        [("SystemTime::now", "crates/server/src/clock.rs"), ("rand::", "crates/server/src/ids.rs")];
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| source.path.contains("/src/")) {
        for (maker, home) in makers.iter().filter(|(_, home)| source.path != *home) {
            let is_breach = |line: &str| !is_comment(line) && line.contains(maker);
            let lines = source.shipped_lines().filter(|(_, line)| is_breach(line));
            found.extend(
                lines.map(|(n, _)| format!("{}:{n}: {maker} belongs to {home}", source.path)),
            );
        }
    }
    found.retain(|breach| !breach.starts_with("bench/"));
    report("time and random bytes are arguments", &found);
}
