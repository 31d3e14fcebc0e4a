//! The storage layer, which contains all SQL of Confab and makes decisions durable.
//!
//! `app` writes through [`Store::decide`], the handlers in `http` read through the other methods,
//! and the commands in `cli` use [`Registry`] and [`AppSnapshot`]. Guarantees:
//!
//! - An `Ok` from `decide` means that the changes are on disk, fsynced.
//! - A decision is written completely or not at all, and its facts cannot change before its commit.
//! - Within a room, message ids increase, numbers have no gap, and every message refers to its
//!   predecessor.
//! - No data of an app is found with another app's id.
//!
//! The store never decides anything itself, never renders JSON, and connects only to its database.
//! There are two engines, [`sqlite`] for one process and [`postgres`] for many nodes; one test
//! suite runs on both (design/storage). Code for a table is in its file in [`tables`], shared by
//! both engines; hot or engine-specific code is in the engine's folder, under the same file name in
//! each.

mod analytics_rebuild;
mod app_snapshot;
#[cfg(test)]
mod before_realms;
mod command_database;
mod damage;
mod error;
mod fair_queue;
mod first_page;
mod listing;
mod location;
mod locks;
mod omni_facts;
mod pages;
mod postgres;
mod read_only_data;
mod read_queues;
mod readiness;
mod registry;
mod room_names;
mod schema_versions;
mod search_index;
mod secrets;
mod sql;
mod sqlite;
mod store;
mod tables;
mod waiting;

pub use crate::secrets::keys::{KEY_BYTES, KeyFile, SecretKey};
pub use crate::secrets::packets::PacketSealer;
pub use crate::secrets::sealer::Sealer;
pub use analytics_rebuild::rebuild_analytics;
pub use app_snapshot::{AppSnapshot, Taker};
pub use error::{StoreError, StoreProblem, WriteError};
pub use fair_queue::{ReadCaller, Reader};
pub use listing::{
    DeliveryListing, LeasedBuckets, ListEnd, LoggedAttempt, RoomListing, ScanMark,
    ScannedDeliveries, UserColumn, UserListing,
};
pub use location::Location;
pub use pages::{MessageKey, PageEntry};
pub use postgres::examining::DatabaseFacts;
pub use postgres::notifications::{Notifications, Notifier, NotifyListener};
pub use read_only_data::{ReadOnlyData, is_served};
pub use read_queues::ReaderScope;
pub use registry::{NewAgentAccount, NewApp, Registry};
pub use schema_versions::SchemaVersions;
pub use search_index::rebuild_search;
pub use secrets::{Rewritten, Secrets};
pub use sqlite::backup::{CopyProgress, backup};
pub use sqlite::loss::accept as accept_loss;
pub use store::Store;
pub use tables::analytics_quarters::{TalliesBy, TallyFilter};
pub use tables::audit::{AuditListing, AuditRow};
pub use tables::blocks::BlockedPage;
pub use tables::customer_room_lists::{ListedRoom, Stretch, WaitingCount, WhichRooms};
pub use tables::files::{Content, UnreferencedFile};
pub use tables::participants::{ParticipantListing, ReadMark};
pub use tables::room_events::{NewestEvents, RoomEventPage};
pub use tables::rooms::{Audience, SeenListing};
pub use tables::trail::TrailRow;
pub use tables::user_search::UserSearchPage;

/// Reads all data and returns descriptions of its problems. Servers may run concurrently.
pub async fn check(
    location: &Location,
    report: &(dyn Fn(String) + Sync),
) -> Result<Vec<String>, StoreError> {
    match location {
        Location::Folder(folder) => sqlite::check::check(folder, report),
        Location::Postgres(endpoint) => postgres::check::check(endpoint, report).await,
    }
}

/// Returns settings and state of the PostgreSQL database, without changing anything; `None` if the
/// location is a folder.
pub async fn examine(location: &Location) -> Result<Option<DatabaseFacts>, StoreError> {
    match location {
        Location::Folder(_) => Ok(None),
        Location::Postgres(endpoint) => postgres::examining::examine(endpoint).await.map(Some),
    }
}
