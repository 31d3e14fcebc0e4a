//! Parameters and results of lists.

use confab_domain::ids::{DeliveryId, EndpointId};
use confab_domain::rooms::room::RoomKind;
use confab_domain::webhooks::delivery::{Attempt, Delivery, DeliveryHead};

/// Order and page of a list of users.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserListing {
    /// Column by which users are sorted.
    pub order: UserColumn,
    /// Whether the greatest value comes first.
    pub is_descending: bool,
    /// Whether deactivated users are included.
    pub shows_all: bool,
    /// Number of users to skip.
    pub skipped: u64,
    /// Maximum number of users to return.
    pub size: usize,
}

/// A column by which users can be sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserColumn {
    /// Time of registration.
    CreatedAt,
    /// Time of the last change.
    UpdatedAt,
    /// Display name.
    Username,
    /// Id that the app gave the user.
    UserId,
}

/// Filter and page of a list of a user's rooms.
#[derive(Debug, Clone, Copy)]
pub struct RoomListing {
    /// Kind of the rooms; `None` for all.
    pub kind: Option<RoomKind>,
    /// Number of rooms to skip.
    pub skipped: u64,
    /// Maximum number of rooms to return.
    pub size: usize,
}

/// Position up to which deliveries were scanned. Its meaning depends on the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScanMark(pub(crate) i64);

/// Result of a scan for deliveries. No `Debug`: bodies contain messages.
pub struct ScannedDeliveries {
    /// Unfinished deliveries.
    pub deliveries: Vec<DeliveryHead>,
    /// The first of these deliveries, among those that were never attempted, with their bodies:
    /// recent deliveries need not be read again.
    pub whole: Vec<Delivery>,
    /// Position at which the next scan starts.
    pub mark: ScanMark,
}

/// The buckets leased by a node, and the number of nodes that share them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedBuckets {
    /// Numbers of the leased buckets.
    pub buckets: Vec<i64>,
    /// Number of nodes that send deliveries, including this one.
    pub senders: usize,
}

/// Range and order of a list of deliveries.
#[derive(Debug, Clone, Copy)]
pub struct DeliveryListing {
    /// Range of ids: the first one, and the end, which is exclusive.
    pub ids: (DeliveryId, DeliveryId),
    /// End of the range from which the list starts.
    pub from_end: ListEnd,
    /// Maximum number of deliveries to return.
    pub size: usize,
}

/// An end of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListEnd {
    /// Newest first.
    Newest,
    /// Oldest first.
    Oldest,
}

/// An attempt of a delivery, with the body that it sent. No `Debug`: the body contains messages.
pub struct LoggedAttempt {
    /// Time and result of the attempt.
    pub attempt: Attempt,
    /// Delivery of the attempt.
    pub delivery: DeliveryId,
    /// Endpoint to which the attempt was sent.
    pub endpoint: EndpointId,
    /// Body that was sent.
    pub body: String,
}
