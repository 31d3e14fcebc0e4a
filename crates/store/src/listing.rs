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
    /// Maximum number of users.
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
    /// Maximum number of rooms.
    pub size: usize,
}

/// Position up to which deliveries were scanned. Its meaning depends on the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScanMark(pub(crate) i64);

/// Result of a scan for deliveries. No `Debug`: bodies contain messages.
pub struct ScannedDeliveries {
    /// Unfinished deliveries.
    pub deliveries: Vec<DeliveryHead>,
    /// The first of these that were never attempted, with their bodies, so that recent deliveries
    /// need not be read again.
    pub whole: Vec<Delivery>,
    /// Position at which the next scan starts.
    pub mark: ScanMark,
}

/// The buckets leased by a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedBuckets {
    /// Leased buckets.
    pub buckets: Vec<i64>,
    /// Number of nodes that send, including this one.
    pub senders: usize,
}

/// Range and order of a list of deliveries.
#[derive(Debug, Clone, Copy)]
pub struct DeliveryListing {
    /// First id, and the id after the last one.
    pub ids: (DeliveryId, DeliveryId),
    /// End of the range from which the list starts.
    pub from_end: ListEnd,
    /// Maximum number of deliveries.
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

/// An attempt with the sent body. No `Debug`: the body contains messages.
pub struct LoggedAttempt {
    /// Time and result of the attempt.
    pub attempt: Attempt,
    /// Delivery of the attempt.
    pub delivery: DeliveryId,
    /// Endpoint of the delivery.
    pub endpoint: EndpointId,
    /// Body that was sent.
    pub body: String,
}
