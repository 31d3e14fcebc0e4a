//! Which engine the servers of this run keep their data in: every test runs on both, one run each
//! (`make test`).

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use confab_server::SystemStamps;
use confab_server::secrets_file::SecretsFile;
use confab_store::{Location, Registry, Sealer, Store, StoreError, StoreProblem};

use super::waiting::PATIENCE;

/// The node number that commands use beside a serving process.
const COMMAND_NODE: i64 = 63;

/// The address of an empty database, if this run is on PostgreSQL.
pub fn new_database() -> Option<String> {
    match std::env::var("CONFAB_TEST_ENGINE").as_deref() {
        Err(_) | Ok("sqlite") => None,
        Ok("postgres") => Some(confab_test_servers::postgres::shared().new_schema()),
        Ok(other) => panic!("CONFAB_TEST_ENGINE is {other:?}; it must be sqlite or postgres"),
    }
}

/// Whether this run is on PostgreSQL.
pub fn is_postgres() -> bool {
    std::env::var("CONFAB_TEST_ENGINE").is_ok_and(|engine| engine == "postgres")
}

/// A password that no log may show. The servers of tests ask for none.
pub const DATABASE_PASSWORD: &str = "password-not-to-be-seen";

/// The same database address with a password in it.
pub fn with_password(url: &str) -> String {
    url.replacen("postgres@", &format!("postgres:{DATABASE_PASSWORD}@"), 1)
}

/// Where the data are: in the database if there is one, else in the folder.
pub fn location(database: Option<&str>, data: &Path) -> Location {
    match database {
        Some(url) => Location::database(url).expect("a valid address"),
        None => Location::folder(data),
    }
}

/// The key file of all servers of this run, so that those who share a database share it too.
pub fn secrets_key_file() -> &'static Path {
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    FILE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (file, own) = (folder.join("secrets.key"), std::process::id());
        let unfinished = folder.join(format!("secrets.key.{own}"));
        std::fs::write(&unfinished, format!("key {}\n", "5e".repeat(32))).expect("written");
        std::fs::set_permissions(&unfinished, Permissions::from_mode(0o600)).expect("set");
        std::fs::rename(&unfinished, &file).expect("put in place");
        file
    })
}

/// Opens something; on a machine that is busy, the database may not answer in time at first.
async fn opened<T>(what: &str, open: impl AsyncFn() -> Result<T, StoreError>) -> T {
    let begun = Instant::now();
    loop {
        match Box::pin(open()).await {
            Ok(it) => return it,
            Err(error)
                if error.trouble == StoreProblem::Unavailable && begun.elapsed() < PATIENCE => {}
            Err(error) => panic!("{what}: {error:?}"),
        }
    }
}

async fn sealer(location: &Location) -> Arc<Sealer> {
    let file = SecretsFile::at(secrets_key_file());
    opened("keys fit", async || file.sealer(location).await).await
}

/// The registry of a store that may be served meanwhile.
pub async fn registry(location: &Location) -> Registry {
    let (stamps, sealer) = (Arc::new(SystemStamps::new(COMMAND_NODE)), sealer(location).await);
    let open = async || Registry::open(location, stamps.clone(), sealer.clone()).await;
    opened("there is a registry", open).await
}

/// The store itself, for looking at what no call shows.
pub async fn store(location: &Location) -> Store {
    let (stamps, sealer) = (Arc::new(SystemStamps::new(0)), sealer(location).await);
    let open = async || Store::open(location, stamps.clone(), sealer.clone()).await;
    opened("there is a store", open).await
}
