//! Forgetting: what is over, of all apps at once. Nothing is asked, so no app is looked at.

use crate::decision::change::{Change, FileChange, MessageChange, UserChange};
use crate::decision::rule::Decision;
use crate::decision::stamp::Stamp;
use crate::files::uploading;
use crate::ids::EventId;
use crate::time::Timestamp;

/// Nonces that nobody used, and what users uploaded on days before this one.
pub fn forget_lapsed(stamp: &Stamp<'_>) -> Decision<()> {
    let nonces = UserChange::ForgetNonces { before: stamp.now };
    let uploads = FileChange::ForgetUploads { before_day: uploading::day_of(stamp.now) };
    Decision::new(vec![nonces.into(), uploads.into()], ())
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
