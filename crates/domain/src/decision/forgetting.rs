//! Forgetting: what is over, of all apps at once. Nothing is asked, so no app is looked at.

use crate::decision::change::{Change, ChannelChange, FileChange, MessageChange, UserChange};
use crate::decision::rule::Decision;
use crate::decision::stamp::Stamp;
use crate::files::uploading;
use crate::ids::EventId;
use crate::limits;
use crate::time::Timestamp;

const DAY_US: i64 = 24 * 3_600 * 1_000_000;

/// Nonces that nobody used, what users uploaded on days before this one, and what was sent through
/// channels beside all rooms and is long over.
pub fn purge_expired(stamp: &Stamp<'_>) -> Decision<()> {
    let nonces = UserChange::ForgetNonces { before: stamp.now };
    let uploads = FileChange::ForgetUploads { before_day: uploading::day_of(stamp.now) };
    let before = Timestamp(stamp.now.0 - limits::DIRECT_SENDS_KEPT_DAYS * DAY_US);
    let sends = ChannelChange::ForgetDirectSends { before };
    Decision::new(vec![nonces.into(), uploads.into(), sends.into()], ())
}

/// What was changed up to this time.
pub fn forget_audit(last: Timestamp) -> Decision<()> {
    let before = Timestamp(last.0 + 1);
    Decision::new(vec![Change::ForgetAudit { before }], ())
}

/// What happened to messages, up to this event; the messages stay.
pub fn forget_events(last: EventId) -> Decision<()> {
    let before = EventId(last.0 + 1);
    Decision::new(vec![MessageChange::ForgetEvents { before }.into()], ())
}
