//! Which of many are wanted, and what a look found.

use confab_domain::ids::{DeliveryId, EndpointId};
use confab_domain::rooms::room::RoomKind;
use confab_domain::webhooks::delivery::{Attempt, Delivery, Pending};

/// What users are listed by, and from which end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserListing {
    /// The column.
    pub order: UserColumn,
    /// Greatest first.
    pub is_descending: bool,
    /// Also deactivated users.
    pub shows_all: bool,
    /// How many to leave out first.
    pub skipped: u64,
    /// How many to give.
    pub size: usize,
}

/// A column users can be listed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserColumn {
    /// When they were registered.
    CreatedAt,
    /// When they last changed.
    UpdatedAt,
    /// Their name for people.
    Username,
    /// The name the app gave.
    UserId,
}

/// Which of a user's rooms are wanted.
#[derive(Debug, Clone, Copy)]
pub struct RoomListing {
    /// Only rooms of this kind.
    pub kind: Option<RoomKind>,
    /// How many to leave out first.
    pub skipped: u64,
    /// How many to give.
    pub size: usize,
}

/// Up to where deliveries were looked at. Its meaning is the engine's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScanMark(pub(crate) i64);

/// What a look for deliveries found. No `Debug`: bodies hold messages.
pub struct ScannedDeliveries {
    /// What waits.
    pub deliveries: Vec<Pending>,
    /// Those of the first that were never tried, as they are to be sent: what came a moment ago
    /// need not be read again.
    pub whole: Vec<Delivery>,
    /// Where the next look begins.
    pub mark: ScanMark,
}

/// The buckets of a sender.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedBuckets {
    /// Those it holds.
    pub buckets: Vec<i64>,
    /// How many senders there are, this one included.
    pub senders: usize,
}

/// Which deliveries are wanted.
#[derive(Debug, Clone, Copy)]
pub struct DeliveryListing {
    /// From this id on, and below that one.
    pub ids: (DeliveryId, DeliveryId),
    /// Which ones come first.
    pub from_end: ListEnd,
    /// How many to give.
    pub size: usize,
}

/// An end of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListEnd {
    /// The newest first.
    Newest,
    /// The oldest first.
    Oldest,
}

/// An attempt with what was sent. No `Debug`: the body holds messages.
pub struct LoggedAttempt {
    /// What happened.
    pub attempt: Attempt,
    /// Of which delivery.
    pub delivery: DeliveryId,
    /// To which endpoint.
    pub endpoint: EndpointId,
    /// What was sent.
    pub body: String,
}
