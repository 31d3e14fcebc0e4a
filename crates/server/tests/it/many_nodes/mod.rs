//! Several nodes on one PostgreSQL are one server: what one of them was told, all of them know.
//!
//! These tests run on PostgreSQL whatever engine the others run on.

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

/// A folder with a database of its own on the server that all tests share. Nothing is in it.
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

    /// Two nodes that know ana and bob, in a group room called support.
    async fn with_support_room() -> Self {
        let nodes = Self::start().await;
        nodes.one.shop().furnish().await;
        nodes
    }
}

/// Starts a node that says all it has to say.
pub(crate) fn launch(folder: &Folder) -> crate::support::process::Launched {
    folder.launch(&[], &[("CONFAB_LOG_LEVEL", "trace")])
}

/// No message and no password is in the log, whatever happened.
#[track_caller]
pub(crate) fn check_log(node: &Confab) {
    let log = node.log.text();
    for secret in [DATABASE_PASSWORD, MURMUR, "panicked"] {
        let line = log.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret} is in the log");
    }
}
