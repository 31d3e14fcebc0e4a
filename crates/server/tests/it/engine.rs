//! Which engine the servers of this run keep their data in: every test runs on both, one run each
//! (`make test`).

use std::path::Path;
use std::sync::Arc;

use confab_server::SystemStamps;
use confab_store::{Location, Registry, Store};

/// The node number that commands use beside a serving process.
const COMMAND_NODE: i64 = 63;

/// The address of an empty database, if this run is on PostgreSQL.
pub fn new_database() -> Option<String> {
    match std::env::var("CONFAB_TEST_ENGINE").as_deref() {
        Err(_) | Ok("sqlite") => None,
        Ok("postgres") => Some(confab_test_postgres::shared().new_schema()),
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

/// The registry of a store that may be served meanwhile.
pub async fn registry(location: &Location) -> Registry {
    let stamps = Arc::new(SystemStamps::new(COMMAND_NODE));
    Registry::open(location, stamps).await.expect("a registry")
}

/// The store itself, for looking at what no call shows.
pub async fn store(location: &Location) -> Store {
    Store::open(location, Arc::new(SystemStamps::new(0))).await.expect("a store")
}
