//! Which modules and crates may import each other (design: allowed directions).

use super::uses::imported;
use super::{Source, report, root, sources};

/// Whether a file names a module or a crate, in a `use` line or elsewhere.
fn imports(source: &Source, module: &str) -> bool {
    let within = format!("{module}::");
    let is_it = |path: &String| path == module || path.starts_with(&within);
    imported(&source.text).iter().any(is_it)
        || source.shipped_lines().any(|(_, line)| !is_comment(line) && line.contains(&within))
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// Returns the forbidden imports of the chosen files.
fn breaches(is_chosen: impl Fn(&Source) -> bool, forbidden: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| is_chosen(source)) {
        let imported = forbidden.iter().filter(|module| imports(source, module));
        found.extend(imported.map(|module| format!("{} imports {module}", source.path)));
    }
    found
}

/// Whether the file belongs to a crate that runs, unlike the pure ones and `outbound`.
fn is_of_server(source: &Source) -> bool {
    let run = ["runtime", "delivery", "queries", "realtime", "app", "http", "cli", "server"];
    run.iter().any(|it| source.is_in(&format!("crates/{it}/src/")))
}

#[test]
fn domain_uses_no_io_clock_randomness_json_or_async() {
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
fn the_manifests_allow_only_these_dependencies() {
    let allowed = [
        ("domain", &[][..]),
        ("wire", &["domain"]),
        ("providers", &["domain"]),
        ("store", &["domain"]),
        ("outbound", &["domain"]),
        ("runtime", &["domain", "outbound", "store"]),
        ("queries", &["domain", "store", "wire"]),
        ("delivery", &["domain", "outbound", "providers", "runtime", "store", "verify", "wire"]),
        ("realtime", &["domain", "queries", "runtime", "store", "wire"]),
        (
            "app",
            &[
                "delivery",
                "domain",
                "outbound",
                "providers",
                "realtime",
                "runtime",
                "store",
                "wire",
            ],
        ),
        (
            "http",
            &[
                "app",
                "delivery",
                "domain",
                "providers",
                "queries",
                "realtime",
                "runtime",
                "store",
                "verify",
                "web",
                "wire",
            ],
        ),
        ("cli", &["app", "domain", "outbound", "realtime", "runtime", "store", "verify", "wire"]),
        ("server", &["app", "cli", "domain", "http", "outbound", "realtime", "runtime", "store"]),
    ];
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
fn only_store_uses_sql_libraries() {
    let found = breaches(|source| !source.is_in("crates/store/"), &["rusqlite", "tokio_postgres"]);
    report("only store may use SQL libraries", &found);
}

#[test]
fn only_http_uses_the_http_framework() {
    let is_chosen = |source: &Source| {
        is_of_server(source)
            && !source.is_in("crates/http/src/")
            // A frame is stored as the text type of WebSockets, which avoids another UTF-8 check.
            && source.path != "crates/realtime/src/signal.rs"
            // Tests use small servers as receivers of deliveries.
            && !source.is_test()
    };
    report("only http uses axum", &breaches(is_chosen, &["axum"]));
}

#[test]
fn only_outbound_opens_connections() {
    let is_chosen = |source: &Source| {
        is_of_server(source)
            // Commands call their own server and the developer's receiver on behalf of the
            // operator, who chose the address.
            && source.path != "crates/cli/src/remote/api_client.rs"
            // Connects to the NATS server that the operator configured (D-0040).
            && source.path != "crates/realtime/src/bus/nats.rs"
            && source.path != "crates/runtime/src/config/nats_url.rs"
            // These files accept incoming connections.
            && source.path != "crates/runtime/src/process/tls.rs"
            && source.path != "crates/http/src/connections/accepting.rs"
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
    report("only outbound may open connections", &found);
}

#[test]
fn only_http_and_background_jobs_call_actions() {
    let is_chosen = |source: &Source| {
        is_of_server(source)
            && !source.is_in("crates/http/src/")
            && !source.is_in("crates/app/src/actions/")
            && !source.is_in("crates/app/src/background.rs")
            // Allocation runs in the background, and calls actions, too.
            && !source.is_in("crates/app/src/jobs/allocation.rs")
    };
    report(
        "only http and background jobs may call actions",
        &breaches(is_chosen, &["crate::actions", "confab_app::actions"]),
    );
}

/// Files that may call the store's writer: `decide`, the records of the delivery engine,
/// maintenance that concerns no app, and the import of data from another server.
const WRITERS: [&str; 5] = [
    "crates/app/src/decide.rs",
    "crates/delivery/src/committing.rs",
    "crates/app/src/actions/upkeep/purge_expired.rs",
    "crates/app/src/actions/upkeep/persist_presences.rs",
    "crates/cli/src/moving/importer.rs",
];

#[test]
fn only_the_listed_files_call_the_writer_of_the_store() {
    let mut found = Vec::new();
    for source in sources().iter().filter(|it| is_of_server(it)) {
        let asks = |line: &str| line.contains("store().decide(") || line.contains("store.decide(");
        let writes = source.shipped_lines().filter(|(_, line)| asks(line));
        found.extend(writes.map(|(number, _)| (source.path.clone(), number)));
    }
    assert!(found.iter().any(|(path, _)| path == WRITERS[0]), "the writes are found");
    found.retain(|(path, _)| !WRITERS.contains(&path.as_str()));
    let found: Vec<_> = found.iter().map(|(path, number)| format!("{path}:{number}")).collect();
    report("writes go through decide", &found);
}

#[test]
fn decisions_are_created_only_in_domain() {
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
fn time_and_random_bytes_have_one_source_each() {
    let makers = [
        ("SystemTime::now", "crates/runtime/src/clock.rs"),
        ("rand::", "crates/runtime/src/ids.rs"),
    ];
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
