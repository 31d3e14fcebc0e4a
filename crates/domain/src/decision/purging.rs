//! Purging of expired data of all apps. The decisions need no facts.

use crate::decision::change::{Change, ChannelChange, FileChange, MessageChange, UserChange};
use crate::decision::rule::Decision;
use crate::decision::stamp::Stamp;
use crate::files::uploading;
use crate::ids::EventId;
use crate::limits;
use crate::time::Timestamp;

const DAY_US: i64 = 24 * 3_600 * 1_000_000;

/// Deletes expired nonces, the upload counts of past days, and the states of direct sends older
/// than [`limits::DIRECT_SEND_RETENTION_DAYS`].
pub fn purge_expired(stamp: &Stamp<'_>) -> Decision<()> {
    let nonces = UserChange::PurgeNonces { before: stamp.now };
    let uploads = FileChange::PurgeUploads { before_day: uploading::day_of(stamp.now) };
    let before = Timestamp(stamp.now.0 - limits::DIRECT_SEND_RETENTION_DAYS * DAY_US);
    let sends = ChannelChange::PurgeDirectSends { before };
    Decision::new(vec![nonces.into(), uploads.into(), sends.into()], ())
}

/// Deletes the audit entries of all apps up to and including this time.
pub fn purge_audit_log(last: Timestamp) -> Decision<()> {
    let before = Timestamp(last.0 + 1);
    Decision::new(vec![Change::PurgeAuditLog { before }], ())
}

/// Deletes the message events of all apps up to and including this one. The messages are retained.
pub fn purge_events(last: EventId) -> Decision<()> {
    let before = EventId(last.0 + 1);
    Decision::new(vec![MessageChange::PurgeEvents { before }.into()], ())
}
