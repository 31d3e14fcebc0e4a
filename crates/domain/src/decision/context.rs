//! The context of a decision besides its facts: the app, the actor, the number of nested webhooks
//! that caused the request, and the renderers of public JSON.

use std::sync::Arc;

use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::audit::entry::{Actor, AuditEntry, AuditTarget};
use crate::channels::outgoing::{OutgoingPart, ProviderMessage};
use crate::decision::change::Change;
use crate::decision::stamp::Stamp;
use crate::ids::AuditId;
use crate::json_text::JsonText;
use crate::messages::incomplete_payload::CompletePayload;
use crate::messages::payload::Payload;
use crate::support::automation::office_hours::LocalTime;
use crate::time::Timestamp;
use crate::webhooks::event::{self, Event};
use crate::webhooks::event_kind::EventKind;
use crate::webhooks::example_ids::ExampleIds;

/// The context of a decision.
#[derive(Clone)]
pub struct Context {
    pub app: Arc<App>,
    pub renderers: Arc<Renderers>,
    /// Number of nested webhooks that caused the request; usually 0.
    pub depth_before: u32,
    /// Whether a `confab listen` client receives the app's webhooks, including those of kinds
    /// without a registered endpoint.
    pub is_listened_to: bool,
    /// Agent, API client or component on whose behalf the rule decides.
    pub actor: Actor,
    /// IP address of the request, if there is one.
    pub address: Option<Arc<str>>,
}

impl Context {
    /// Returns the change that adds an entry to the audit log.
    pub fn audited(
        &self,
        stamp: &Stamp<'_>,
        deed: AuditAction,
        target: AuditTarget,
        differences: Differences,
    ) -> Change {
        // An action of the server itself has no address: that of the request belongs to a visitor
        // who only triggered the action.
        let address = self.address.clone().filter(|_| self.actor != Actor::Server);
        let made = (AuditId(stamp.next_id()), stamp.now);
        let entry = AuditEntry::new(made, (self.actor, address), deed, target, differences);
        Change::Audit(Box::new(entry))
    }

    /// Returns the same change as [`Context::audited`], or `None` if `differences` is empty.
    pub fn audited_change(
        &self,
        stamp: &Stamp<'_>,
        deed: AuditAction,
        target: AuditTarget,
        differences: Differences,
    ) -> Option<Change> {
        let is_any = !differences.is_empty();
        is_any.then(|| self.audited(stamp, deed, target, differences))
    }
}

/// Functions that render public JSON for the rules. `wire` implements them.
pub struct Renderers {
    pub complete_payload: CompletePayload,
    /// Whether a draft's payload equals the payload of a stored message.
    pub is_same_payload: fn(&Payload, Option<&JsonText>) -> bool,
    pub webhook_body: fn(&Event) -> Vec<u8>,
    /// Renders a message to a provider channel's customer as requests to the provider.
    pub channel_parts: fn(&ProviderMessage<'_>) -> Vec<OutgoingPart>,
    /// Returns a realistic example of an event; `None` for kinds that are not sent to an app's
    /// endpoints.
    pub example: fn(EventKind, &ExampleIds) -> Option<Event>,
    /// Renders the options of a customer's room. The arguments are its channel, whether the
    /// conversation is resolved, and whether the customer waits for an agent.
    pub room_options: fn(&event::ChannelSummary, bool, bool) -> JsonText,
    /// Returns the local time in a time zone. Unknown time zones count as UTC.
    pub local_time: fn(&str, Timestamp) -> LocalTime,
    /// The widget's `source` in public JSON.
    pub widget_source: String,
}
