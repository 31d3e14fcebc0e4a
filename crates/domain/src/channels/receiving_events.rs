//! Rules that store a provider's events before they are processed (D-0150).

use crate::app::App;
use crate::channels::identity::Identity;
use crate::decision::change::{Change, ChannelChange, WebhookChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{ChannelId, DeliveryId, UserKey};
use crate::json_text::JsonText;
use crate::refusal::Refusal;
use crate::webhooks::delivery::{Delivery, Lane};
use crate::webhooks::event_kind::EventKind;

/// An event from a provider.
#[derive(Debug, Clone)]
pub struct InboundEvent {
    /// The customer's id at the provider. Events of one customer are processed in order.
    pub customer: String,
    /// Position of the event among the customer's events, if the provider numbers them.
    pub order: Option<u64>,
    /// The event as received from the provider.
    pub body: JsonText,
}

/// Stores each event as a delivery that this server itself processes, in order per customer,
/// together with the polling position. The outcome is the number of stored events.
pub struct StoreInboundEvents {
    pub channel: ChannelId,
    pub events: Vec<InboundEvent>,
    /// Position up to which the provider was polled.
    pub cursor: Option<i64>,
    /// Account setting to be stored with the events, such as the position in a mailbox.
    pub noted: Option<(&'static str, String)>,
}

impl Rule for StoreInboundEvents {
    type Outcome = usize;

    fn question(&self, _: &App) -> Question {
        let customer = self.events.first().map_or("", |event| event.customer.as_str());
        let lane = Lane::of_customer(self.channel, customer);
        Question { endpoints: Some((lane, vec![EventKind::ChannelEvent])), ..Question::default() }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<usize>, Refusal> {
        let (channel, name) = (self.channel, self.channel.to_string());
        let cursor = self.cursor.map(|cursor| ChannelChange::SetCursor { channel, cursor }.into());
        let noted = self.noted.clone().map(|(name, value)| {
            let (name, value) = (name.to_owned(), Some(value));
            ChannelChange::SetAccountSetting { channel, name, value }.into()
        });
        let mut endpoints = facts.endpoints.iter().map(|(endpoint, _)| endpoint);
        let endpoint = endpoints.find(|it| it.name == name && it.is_enabled);
        // The channel was disabled in the meantime. Do not advance the mailbox position, so that
        // the mails are read later.
        let Some(endpoint) = endpoint else {
            let noted = noted.filter(|_| self.events.is_empty());
            return Ok(Decision::new(cursor.into_iter().chain(noted).collect(), 0));
        };
        let told = |event: &InboundEvent| -> Change {
            let id = DeliveryId(stamp.next_id());
            WebhookChange::InsertDelivery(Delivery {
                id,
                app: context.app.id,
                endpoint: endpoint.id,
                kind: EventKind::ChannelEvent,
                lane: Lane::of_customer(channel, &event.customer),
                sequence: event.order.unwrap_or(id.0 as u64),
                created_at: stamp.now,
                depth: 1,
                body: event.body.as_str().into(),
            })
            .into()
        };
        let changes = self.events.iter().map(told).collect();
        Ok(Decision::new(changes, self.events.len()).also(cursor).also(noted))
    }
}

/// Stores a fact about a channel's account, such as that its bot is in a group.
pub struct RecordAccountHint {
    pub channel: ChannelId,
    pub name: &'static str,
    pub value: String,
}

impl Rule for RecordAccountHint {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        Question::default()
    }

    fn decide(&self, _: &Context, _: &Facts, _: &Stamp<'_>) -> Result<Decision<()>, Refusal> {
        let (channel, name, value) = (self.channel, self.name.to_owned(), Some(self.value.clone()));
        let noted = ChannelChange::SetAccountSetting { channel, name, value };
        Ok(Decision::new(vec![noted.into()], ()))
    }
}

/// Links a customer to further ids at their provider.
pub struct IdentifyCustomer {
    pub channel: ChannelId,
    pub customer: UserKey,
    pub identities: Vec<Identity>,
}

impl Rule for IdentifyCustomer {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        Question::default()
    }

    fn decide(&self, _: &Context, _: &Facts, stamp: &Stamp<'_>) -> Result<Decision<()>, Refusal> {
        let (channel, customer, at) = (self.channel, self.customer, stamp.now);
        let identified = |identity: &Identity| {
            let identity = identity.clone();
            ChannelChange::Identify { channel, identity, customer, at }.into()
        };
        Ok(Decision::new(self.identities.iter().map(identified).collect(), ()))
    }
}
