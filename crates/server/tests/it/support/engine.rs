//! The storage engine of this test run: every test runs on both engines, one run each (`make
//! test`).

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use confab_runtime::SystemStamps;
use confab_runtime::process::secrets_file::SecretsFile;
use confab_store::{Location, Registry, Sealer, Store, StoreError, StoreProblem};

use super::waiting::PATIENCE;

/// Node number of commands that run while a server is running.
const COMMAND_NODE: i64 = 63;

/// Returns the URL of an empty schema if this run is on PostgreSQL.
pub fn new_database() -> Option<String> {
    match std::env::var("CONFAB_TEST_ENGINE").as_deref() {
        Err(_) | Ok("sqlite") => None,
        Ok("postgres") => Some(confab_test_servers::postgres::shared().new_schema()),
        Ok(other) => panic!("CONFAB_TEST_ENGINE is {other:?}; it must be sqlite or postgres"),
    }
}

pub fn is_postgres() -> bool {
    std::env::var("CONFAB_TEST_ENGINE").is_ok_and(|engine| engine == "postgres")
}

/// A database password that must not appear in any log. The test database requires none.
pub const DATABASE_PASSWORD: &str = "password-not-to-be-seen";

/// Adds [`DATABASE_PASSWORD`] to a database URL.
pub fn with_password(url: &str) -> String {
    url.replacen("postgres@", &format!("postgres:{DATABASE_PASSWORD}@"), 1)
}

/// Returns the location of the data: the database if there is one, else the folder.
pub fn location(database: Option<&str>, data: &Path) -> Location {
    match database {
        Some(url) => Location::database(url).expect("a valid address"),
        None => Location::folder(data),
    }
}

/// Returns the key file that all servers of this run share, because some of them share a database.
pub fn secrets_key_file() -> &'static Path {
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    FILE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (file, own) = (folder.join("secrets.key"), std::process::id());
        let unfinished = folder.join(format!("secrets.key.{own}"));
        std::fs::write(&unfinished, format!("key {}\n", "5e".repeat(32))).expect("written");
        std::fs::set_permissions(&unfinished, Permissions::from_mode(0o600)).expect("set");
        std::fs::rename(&unfinished, &file).expect("renamed");
        file
    })
}

/// Retries to open something while the database is unavailable, as it may be on a busy machine.
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
    opened("failed to load the keys", async || file.sealer(location).await).await
}

/// Opens the registry of a store, which a server may be using.
pub async fn registry(location: &Location) -> Registry {
    let (stamps, sealer) = (Arc::new(SystemStamps::new(COMMAND_NODE)), sealer(location).await);
    let open = async || Registry::open(location, stamps.clone(), sealer.clone()).await;
    opened("failed to open the registry", open).await
}

/// Opens the store, to check data that no API call returns.
pub async fn store(location: &Location) -> Store {
    let (stamps, sealer) = (Arc::new(SystemStamps::new(0)), sealer(location).await);
    let open = async || Store::open(location, stamps.clone(), sealer.clone()).await;
    opened("failed to open the store", open).await
}
