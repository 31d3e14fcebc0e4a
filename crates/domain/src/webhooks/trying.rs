//! Trying: an app has its receivers told of something that did not happen.

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

/// The app's endpoints, and whoever listens, are told of an example, as of a real notice.
pub struct TriggerExample {
    pub kind: EventKind,
    /// A real room; nothing if it happens in none.
    pub room: Option<RoomId>,
    /// What is sent instead of the example's own body.
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
        let told = tell(context, facts, self, stamp)?;
        let deliveries = told.deliveries.iter().map(|delivery| delivery.id).collect();
        Ok(Decision::nothing(deliveries).telling(told))
    }
}

/// An endpoint is tried with an example that is stored nowhere, and that nobody else hears of. The
/// endpoint may be paused or switched off.
pub struct TryEndpoint {
    pub which: WhichEndpoint,
}

impl Rule for TryEndpoint {
    /// Where it goes, and what.
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
        let told = tell(context, facts, &example, stamp)?;
        let delivery = told.heard.into_iter().next().expect("one notice is heard once");
        Ok(Decision::nothing((endpoint, delivery)))
    }
}

/// The gateway of a channel is told of an answer that nobody gave, as of a real one.
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
        let notice = Event::ChannelMessage(ChannelMessage { channel: self.channel, ..example });
        let lane = lane(app, kind, None);
        let place = EventContext { app: app.id, lane, depth_before: *depth_before };
        let told = fan_out::tell(facts, stamp, place, &[notice], renderers.webhook_body)?;
        let sent = told.deliveries.iter().find(|it| it.endpoint == endpoint.id);
        let sent = sent.ok_or(Refusal::EndpointNotFound(kind.as_str()))?.id;
        Ok(Decision::nothing(sent).telling(told))
    }
}

/// What an example of this kind stays in order with: its room, or its agent.
fn lane(app: &App, kind: EventKind, room: Option<RoomId>) -> Lane {
    let no_room = Lane(app.id.0);
    match (kind, room) {
        (EventKind::LoggedOut | EventKind::EndpointState, _) | (_, None) => no_room,
        (_, Some(room)) => Lane(room.0),
    }
}

fn tell(
    context: &Context,
    facts: &Facts,
    example: &TriggerExample,
    stamp: &Stamp<'_>,
) -> Result<FanOut, Refusal> {
    let TriggerExample { kind, room, ref body } = *example;
    let Context { app, renderers, depth_before, .. } = context;
    let notice = (renderers.example)(kind, &ExampleIds::new(app, room, stamp));
    let notice = notice.ok_or(Refusal::NoExample(kind.as_str()))?;
    let place =
        EventContext { app: app.id, lane: lane(app, kind, room), depth_before: *depth_before };
    let written = |notice: &Event| match body {
        Some(own) => own.as_str().as_bytes().to_vec(),
        None => (renderers.webhook_body)(notice),
    };
    fan_out::tell(facts, stamp, place, &[notice], written)
}
