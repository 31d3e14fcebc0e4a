//! Rules that send example events, so that an app can test its receivers.

use std::sync::Arc;

use crate::app::App;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{ChannelId, DeliveryId, RoomId};
use crate::json_text::JsonText;
use crate::refusal::Refusal;
use crate::rooms::room::RoomRef;
use crate::webhooks::delivery::{Delivery, Lane};
use crate::webhooks::endpoint::Endpoint;
use crate::webhooks::event::{ChannelMessage, Event};
use crate::webhooks::event_kind::EventKind;
use crate::webhooks::example_ids::ExampleIds;
use crate::webhooks::fan_out::{self, EventContext, FanOut};
use crate::webhooks::subscribing::{self, WhichEndpoint};

/// Sends an example event to the app's endpoints and listeners, like a real one.
pub struct TriggerExample {
    pub kind: EventKind,
    /// An existing room; `None` for an example outside of rooms.
    pub room: Option<RoomId>,
    /// Body to be sent instead of the example's own.
    pub body: Option<JsonText>,
}

impl Rule for TriggerExample {
    type Outcome = Vec<DeliveryId>;

    fn question(&self, app: &App) -> Question {
        Question {
            rooms: self.room.map(RoomRef::Id).into_iter().collect(),
            endpoints: Some((lane(app, self.kind, self.room), vec![self.kind])),
            ..Question::default()
        }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Vec<DeliveryId>>, Refusal> {
        if let Some(room) = self.room {
            facts.room(&RoomRef::Id(room))?;
        }
        let told = example_deliveries(context, facts, self, stamp)?;
        let deliveries = told.deliveries.iter().map(|delivery| delivery.id).collect();
        Ok(Decision::nothing(deliveries).with_deliveries(told))
    }
}

/// Creates an example delivery for one endpoint. It is not stored, and no other endpoint or
/// listener receives it. The endpoint may be paused or disabled.
pub struct TryEndpoint {
    pub which: WhichEndpoint,
}

impl Rule for TryEndpoint {
    /// The endpoint and the delivery.
    type Outcome = (Arc<Endpoint>, Delivery);

    fn question(&self, app: &App) -> Question {
        subscribing::question(app, self.which.kind)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<(Arc<Endpoint>, Delivery)>, Refusal> {
        let endpoint = self.which.registered(facts)?;
        let example = TriggerExample { kind: self.which.kind, room: None, body: None };
        let told = example_deliveries(context, facts, &example, stamp)?;
        let delivery = told
            .for_listeners
            .into_iter()
            .next()
            .expect("one event causes one delivery for listeners");
        Ok(Decision::nothing((endpoint, delivery)))
    }
}

/// Sends an example message to the gateway of a channel, like a real one.
pub struct TryChannel {
    pub channel: ChannelId,
}

impl Rule for TryChannel {
    type Outcome = DeliveryId;

    fn question(&self, app: &App) -> Question {
        subscribing::question(app, EventKind::ChannelMessage)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<DeliveryId>, Refusal> {
        let (kind, name) = (EventKind::ChannelMessage, self.channel.to_string());
        let endpoint = WhichEndpoint { kind, name }.registered(facts)?;
        let Context { app, renderers, depth_before, .. } = context;
        let example = (renderers.example)(kind, &ExampleIds::new(app, None, stamp));
        let Some(Event::ChannelMessage(example)) = example else {
            return Err(Refusal::NoExample(kind.as_str()));
        };
        let event = Event::ChannelMessage(ChannelMessage { channel: self.channel, ..example });
        let lane = lane(app, kind, None);
        let place = EventContext { app: app.id, lane, depth_before: *depth_before };
        let told = fan_out::fan_out(facts, stamp, place, &[event], renderers.webhook_body)?;
        let sent = told.deliveries.iter().find(|it| it.endpoint == endpoint.id);
        let sent = sent.ok_or(Refusal::EndpointNotFound(kind.as_str()))?.id;
        Ok(Decision::nothing(sent).with_deliveries(told))
    }
}

/// Returns the lane of an example of this kind: that of its room, or the app's own lane.
fn lane(app: &App, kind: EventKind, room: Option<RoomId>) -> Lane {
    let no_room = Lane(app.id.0);
    match (kind, room) {
        (EventKind::LoggedOut | EventKind::EndpointState, _) | (_, None) => no_room,
        (_, Some(room)) => Lane(room.0),
    }
}

fn example_deliveries(
    context: &Context,
    facts: &Facts,
    example: &TriggerExample,
    stamp: &Stamp<'_>,
) -> Result<FanOut, Refusal> {
    let TriggerExample { kind, room, ref body } = *example;
    let Context { app, renderers, depth_before, .. } = context;
    let event = (renderers.example)(kind, &ExampleIds::new(app, room, stamp));
    let event = event.ok_or(Refusal::NoExample(kind.as_str()))?;
    let place =
        EventContext { app: app.id, lane: lane(app, kind, room), depth_before: *depth_before };
    let written = |event: &Event| match body {
        Some(own) => own.as_str().as_bytes().to_vec(),
        None => (renderers.webhook_body)(event),
    };
    fan_out::fan_out(facts, stamp, place, &[event], written)
}
