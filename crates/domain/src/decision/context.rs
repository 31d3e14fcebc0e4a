//! What a rule knows beside its facts: whose decision it is, what led to it, and how the outside is
//! written to.

use std::sync::Arc;

use crate::app::App;
use crate::audit::deed::Deed;
use crate::audit::differences::Differences;
use crate::audit::entry::{Actor, AuditEntry, Target};
use crate::channels::outgoing::{Outgoing, OutgoingPart};
use crate::decision::change::Change;
use crate::decision::stamp::Stamp;
use crate::ids::AuditId;
use crate::json_text::JsonText;
use crate::messages::incomplete_payload::CompletePayload;
use crate::messages::payload::Payload;
use crate::support::office_hours::LocalTime;
use crate::time::Timestamp;
use crate::webhooks::event::{self, Event};
use crate::webhooks::event_kind::EventKind;
use crate::webhooks::example_ids::ExampleIds;

/// Where a rule decides. Cheap to clone: rules run on the store's thread.
#[derive(Clone)]
pub struct Context {
    /// Whose decision it is.
    pub app: Arc<App>,
    pub renderers: Arc<Renderers>,
    /// How many webhooks led to the request, one after the other; mostly none.
    pub depth_before: u32,
    /// Somebody listens to the app's webhooks, and hears also of what no receiver is registered
    /// for.
    pub is_listened_to: bool,
    /// Who wants it.
    pub actor: Actor,
    /// From where it was asked for, if it was a request.
    pub address: Option<Arc<str>>,
}

impl Context {
    /// What the audit keeps of a deed of this decision.
    pub fn audited(
        &self,
        stamp: &Stamp<'_>,
        deed: Deed,
        target: Target,
        differences: Differences,
    ) -> Change {
        // A visitor may have led the server to it by itself: where they are is nobody's business.
        let address = self.address.clone().filter(|_| self.actor != Actor::Server);
        let made = (AuditId(stamp.next_id()), stamp.now);
        let entry = AuditEntry::new(made, (self.actor, address), deed, target, differences);
        Change::Audit(Box::new(entry))
    }

    /// The same, if anything differs.
    pub fn audited_change(
        &self,
        stamp: &Stamp<'_>,
        deed: Deed,
        target: Target,
        differences: Differences,
    ) -> Option<Change> {
        let is_any = !differences.is_empty();
        is_any.then(|| self.audited(stamp, deed, target, differences))
    }
}

/// How the outside is written to: the rules know no JSON. `wire` has the functions.
pub struct Renderers {
    pub complete_payload: CompletePayload,
    /// Whether a draft's payload is the one that a stored message was posted with.
    pub is_same_payload: fn(&Payload, Option<&JsonText>) -> bool,
    pub webhook_body: fn(&Event) -> Vec<u8>,
    /// What a service is to be sent, part by part.
    pub channel_parts: fn(&Outgoing<'_>) -> Vec<OutgoingPart>,
    /// A notice that reads like a real one; nothing for what goes to no receiver.
    pub example: fn(EventKind, &ExampleIds) -> Option<Event>,
    /// The options of a customer's room: where from, whether resolved, whether waiting.
    pub room_options: fn(&event::ChannelSummary, bool, bool) -> JsonText,
    /// What clock and calendar show in a time zone, which is UTC if it is not known.
    pub local_time: fn(&str, Timestamp) -> LocalTime,
    /// What the widget is called as a source (D-0001).
    pub widget_source: String,
}
