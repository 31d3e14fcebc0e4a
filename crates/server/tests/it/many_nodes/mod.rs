//! Several nodes on one PostgreSQL database behave as one server.
//!
//! These tests run on PostgreSQL, regardless of the configured engine.

pub(crate) mod posters;

mod delivering;
mod ended_rights;
mod killing;
mod lagging;
mod losing_hints;
mod one_place_for_files;
mod same_moment;
mod same_rooms;
mod seen_at_once;
mod starting;

use posters::MURMUR;

use crate::support::engine::{DATABASE_PASSWORD, with_password};
use crate::support::process::{Confab, Folder};

/// Returns a folder with an empty database of its own on the PostgreSQL server that all tests
/// share.
fn new_folder() -> Folder {
    Folder::with_database(Some(with_password(
        &confab_test_servers::postgres::shared().new_schema(),
    )))
}

/// Two nodes that serve an app called shop.
struct TwoNodes {
    folder: Folder,
    one: Confab,
    two: Confab,
}

impl TwoNodes {
    async fn start() -> Self {
        let folder = new_folder().and_app().await;
        let (one, two) = (launch(&folder), launch(&folder));
        let (one, two) = (one.listening(), two.listening());
        Self { folder, one, two }
    }

    /// Starts two nodes with the users ana and bob in a group room called support.
    async fn with_support_room() -> Self {
        let nodes = Self::start().await;
        nodes.one.shop().furnish().await;
        nodes
    }
}

/// Starts a node that logs at trace level.
pub(crate) fn launch(folder: &Folder) -> crate::support::process::Launched {
    folder.launch(&[], &[("CONFAB_LOG_LEVEL", "trace")])
}

/// Asserts that a node's log contains no message, password or panic.
#[track_caller]
pub(crate) fn check_log(node: &Confab) {
    let log = node.log.text();
    for secret in [DATABASE_PASSWORD, MURMUR, "panicked"] {
        let line = log.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret} is in the log");
    }
}
