//! The storage layer, which contains all SQL of Confab and makes decisions durable.
//!
//! `app` and `delivery` write through [`Store::decide`]. The other methods of [`Store`] read, and
//! the commands in `cli` use [`Registry`] and [`AppSnapshot`]. Guarantees:
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
//! both engines, like [`reading`] and [`writing`]; hot or engine-specific code is in the engine's
//! folder, under the same file name in each.

#[cfg(test)]
mod before_realms;
mod commands;
mod damage;
mod error;
mod location;
mod postgres;
mod reading;
mod schema_versions;
mod secrets;
mod sql;
mod sqlite;
mod store;
mod tables;
mod writing;

pub use commands::analytics_rebuild::rebuild_analytics;
pub use commands::app_snapshot::{AppSnapshot, Taker};
pub use commands::read_only_data::{ReadOnlyData, is_served};
pub use commands::registry::{NewAgentAccount, NewApp, Registry};
pub use commands::search_index::rebuild_search;
pub use error::{StoreError, StoreProblem, WriteError};
pub use location::Location;
pub use postgres::maintenance::examining::DatabaseFacts;
pub use postgres::nodes::notifications::{Notifications, Notifier, NotifyListener};
pub use reading::fair_queue::{ReadCaller, Reader};
pub use reading::listing::{
    DeliveryListing, LeasedBuckets, ListEnd, LoggedAttempt, RoomListing, ScanMark,
    ScannedDeliveries, UserColumn, UserListing,
};
pub use reading::pages::{MessageKey, PageEntry};
pub use reading::read_queues::ReaderScope;
pub use schema_versions::SchemaVersions;
pub use secrets::keys::{KEY_BYTES, KeyFile, SecretKey};
pub use secrets::packets::PacketSealer;
pub use secrets::sealer::Sealer;
pub use secrets::{Rewritten, Secrets};
pub use sqlite::data_folder::loss::accept as accept_loss;
pub use sqlite::maintenance::backup::{CopyProgress, backup};
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
        Location::Folder(folder) => sqlite::maintenance::check::check(folder, report),
        Location::Postgres(endpoint) => postgres::maintenance::check::check(endpoint, report).await,
    }
}

/// Returns settings and state of the PostgreSQL database, without changing anything; `None` if the
/// location is a folder.
pub async fn examine(location: &Location) -> Result<Option<DatabaseFacts>, StoreError> {
    match location {
        Location::Folder(_) => Ok(None),
        Location::Postgres(endpoint) => {
            postgres::maintenance::examining::examine(endpoint).await.map(Some)
        }
    }
}
