//! Fan-out: creates one delivery of an event for each endpoint of its kind.
//!
//! Rules call it with the endpoints that their query loaded, and pass the function that writes the
//! body, because this crate does not know JSON formats.

use std::collections::HashMap;
use std::sync::Arc;

use crate::decision::change::{Change, WebhookChange};
use crate::decision::facts::Facts;
use crate::decision::stamp::Stamp;
use crate::ids::{AppId, DeliveryId, EndpointId};
use crate::limits;
use crate::refusal::Refusal;
use crate::webhooks::delivery::{Delivery, Lane};
use crate::webhooks::endpoint::Endpoint;
use crate::webhooks::event::Event;

/// The context of events: their app, their lane, and the webhooks that caused them.
#[derive(Debug, Clone, Copy)]
pub struct EventContext {
    pub app: AppId,
    /// The lane in which the deliveries stay in order.
    pub lane: Lane,
    /// Number of webhooks in the chain that caused the current request; usually 0.
    pub depth_before: u32,
}

/// The deliveries of some events. No `Debug`: bodies hold messages.
#[derive(Clone, Default)]
pub struct FanOut {
    /// Deliveries to be stored, in the order of the events.
    pub deliveries: Vec<Delivery>,
    /// Each event once, for listeners: its first delivery, or, if no endpoint receives it, a
    /// delivery that is not stored and has no endpoint and no sequence.
    pub for_listeners: Vec<Delivery>,
}

impl FanOut {
    /// Returns the changes that store the deliveries.
    pub fn changes(&self) -> Vec<Change> {
        let insert = |it: &Delivery| WebhookChange::InsertDelivery(it.clone()).into();
        self.deliveries.iter().map(insert).collect()
    }
}

/// Creates the deliveries to the endpoints in the facts. Fails if too many webhooks triggered each
/// other.
pub fn fan_out(
    facts: &Facts,
    stamp: &Stamp<'_>,
    place: EventContext,
    events: &[Event],
    body: impl Fn(&Event) -> Vec<u8>,
) -> Result<FanOut, Refusal> {
    fan_out_to(&facts.endpoints, stamp, place, events, body)
}

/// Creates deliveries like [`fan_out`], but to these endpoints, each with its last sequence in the
/// lane.
pub fn fan_out_to(
    endpoints: &[(Arc<Endpoint>, u64)],
    stamp: &Stamp<'_>,
    place: EventContext,
    events: &[Event],
    body: impl Fn(&Event) -> Vec<u8>,
) -> Result<FanOut, Refusal> {
    let depth = place.depth_before.saturating_add(1);
    if events.iter().any(|it| it.kind().is_webhook()) && depth > limits::WEBHOOK_DEPTH_MAX {
        return Err(Refusal::WebhookLoop);
    }
    let mut told = FanOut::default();
    let mut made: HashMap<EndpointId, u64> = HashMap::new();
    for event in events {
        let first = told.deliveries.len();
        let unplaced = unplaced(event, place, depth, stamp, &body);
        for (endpoint, last) in endpoints.iter().filter(|(it, _)| wants(it, event)) {
            let sequence = made.entry(endpoint.id).or_insert(*last);
            *sequence += 1;
            // The first delivery reuses the id created above, so that listeners see the event under
            // this id.
            let is_first = told.deliveries.len() == first;
            let id = if is_first { unplaced.id } else { DeliveryId(stamp.next_id()) };
            let (endpoint, sequence) = (endpoint.id, *sequence);
            told.deliveries.push(Delivery { id, endpoint, sequence, ..unplaced.clone() });
        }
        if event.kind().is_webhook() {
            let for_listeners = told.deliveries.get(first).cloned();
            told.for_listeners.push(for_listeners.unwrap_or(unplaced));
        }
    }
    Ok(told)
}

/// Whether an endpoint receives an event. An endpoint without a name receives all events of its
/// kind.
fn wants(endpoint: &Endpoint, event: &Event) -> bool {
    endpoint.is_enabled
        && endpoint.kind == event.kind()
        && (endpoint.name.is_empty()
            || event.endpoint_name().is_none_or(|name| name == endpoint.name))
}

/// Creates a delivery without endpoint and sequence.
fn unplaced(
    event: &Event,
    place: EventContext,
    depth: u32,
    stamp: &Stamp<'_>,
    body: &impl Fn(&Event) -> Vec<u8>,
) -> Delivery {
    let body = String::from_utf8(body(event)).expect("the body is JSON, which is UTF-8");
    Delivery {
        id: DeliveryId(stamp.next_id()),
        app: place.app,
        endpoint: EndpointId(0),
        kind: event.kind(),
        lane: place.lane,
        sequence: 0,
        created_at: stamp.now,
        depth,
        body: body.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::AppCode;
    use crate::example::CountingStamps;
    use crate::time::Timestamp;
    use crate::webhooks::endpoint::DeliveryPolicy;
    use crate::webhooks::event::{EndpointStateChanged, EndpointTransition};
    use crate::webhooks::event_kind::EventKind;

    fn endpoint(id: i64, kind: EventKind, is_enabled: bool) -> Arc<Endpoint> {
        Arc::new(Endpoint {
            id: EndpointId(id),
            app: AppId(1),
            kind,
            name: String::new(),
            url: "https://hook.example/".to_owned(),
            is_enabled,
            is_paused: false,
            failing: None,
            policy: DeliveryPolicy::default(),
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        })
    }

    fn event(url: &str) -> Event {
        Event::EndpointStateChanged(EndpointStateChanged {
            app: AppCode::parse("shop").expect("valid"),
            kind: EventKind::Bot,
            url: url.to_owned(),
            turn: EndpointTransition::Recovered,
            failing_since: None,
            at: Timestamp(0),
        })
    }

    fn url_as_body(event: &Event) -> Vec<u8> {
        match event {
            Event::EndpointStateChanged(turned) => turned.url.clone().into_bytes(),
            _ => Vec::new(),
        }
    }

    fn fan_out_all(
        endpoints: Vec<(Arc<Endpoint>, u64)>,
        depth_before: u32,
        events: &[Event],
    ) -> Result<FanOut, Refusal> {
        let facts = Facts { endpoints, ..Facts::default() };
        let stamps = CountingStamps::default();
        let stamp = Stamp::new(&stamps, &facts);
        let place = EventContext { app: AppId(1), lane: Lane(55), depth_before };
        fan_out(&facts, &stamp, place, events, url_as_body)
    }

    #[test]
    fn every_enabled_endpoint_of_the_kind_gets_the_next_delivery_of_its_lane() {
        let endpoints = vec![
            (endpoint(1, EventKind::Bot, true), 9),
            (endpoint(2, EventKind::EndpointState, true), 4),
            (endpoint(3, EventKind::EndpointState, false), 7),
            (endpoint(4, EventKind::EndpointState, true), 0),
        ];
        let fan_out = fan_out_all(endpoints, 0, &[event("one"), event("two")]).expect("fanned out");
        let created = |it: &Delivery| (it.endpoint.0, it.sequence, it.body.to_string(), it.depth);
        let created: Vec<_> = fan_out.deliveries.iter().map(created).collect();
        let (one, two) = ("one".to_owned(), "two".to_owned());
        let expected =
            [(2, 5, one.clone(), 1), (4, 1, one, 1), (2, 6, two.clone(), 1), (4, 2, two, 1)];
        assert_eq!(created, expected);
        let mut ids: Vec<_> = fan_out.deliveries.iter().map(|it| it.id).collect();
        let heard_ids: Vec<_> = fan_out.for_listeners.iter().map(|it| it.id).collect();
        assert_eq!(heard_ids, [ids[0], ids[2]], "listeners receive each event once, under its id");
        ids.dedup();
        assert_eq!((ids.len(), fan_out.changes().len()), (4, 4));
        assert!(ids.is_sorted(), "ids rise within a lane");
    }

    #[test]
    fn a_click_notifies_the_endpoint_of_its_button_and_the_one_for_all_buttons() {
        let button = |id: i64| {
            let named = Endpoint {
                name: id.to_string(),
                ..(*endpoint(id, EventKind::CustomButton, true)).clone()
            };
            (Arc::new(named), 0)
        };
        let all = || vec![button(1), button(2), (endpoint(3, EventKind::CustomButton, true), 0)];
        let notified = |button: Option<&str>| {
            let fan_out = fan_out_all(all(), 0, &[click(button)]).expect("fanned out");
            fan_out.deliveries.iter().map(|it| it.endpoint.0).collect::<Vec<_>>()
        };
        assert_eq!(notified(Some("2")), [2, 3], "and the endpoint for all buttons");
        assert_eq!(notified(Some("9")), [3]);
        assert_eq!(notified(None), [1, 2, 3], "an example");
    }

    fn click(button: Option<&str>) -> Event {
        let customer = crate::example::posted_message(1).sender;
        Event::CustomButton(crate::webhooks::event::CustomButton {
            button: button.map(str::to_owned),
            clicked_by: crate::agents::agent::Agent {
                id: crate::ids::AgentId(1),
                app: AppId(1),
                email: String::new(),
                name: String::new(),
                role: crate::agents::role::Role::Agent,
                created_at: Timestamp(0),
            },
            channel: crate::webhooks::event::ChannelSummary {
                id: crate::ids::ChannelId(1),
                name: String::new(),
                source: String::new(),
                phone: String::new(),
            },
            customer,
            infos: vec![],
            properties: vec![],
            notes: None,
            room: crate::ids::RoomId(1),
            tags: vec![],
        })
    }

    #[test]
    fn listeners_receive_events_without_an_endpoint() {
        let fan_out = fan_out_all(vec![], 2, &[event("one")]).expect("fanned out");
        assert_eq!((fan_out.deliveries.len(), fan_out.for_listeners.len()), (0, 1));
        let for_listeners = &fan_out.for_listeners[0];
        assert_eq!(
            (for_listeners.endpoint, for_listeners.sequence, for_listeners.depth),
            (EndpointId(0), 0, 3)
        );
    }

    #[test]
    fn webhooks_may_trigger_each_other_three_times_and_a_fourth_is_refused() {
        let endpoints = || vec![(endpoint(2, EventKind::EndpointState, true), 0)];
        let fan_out = fan_out_all(endpoints(), 2, &[event("one")]).expect("fanned out");
        assert_eq!(fan_out.deliveries[0].depth, 3);
        for depth_before in [3, 4, u32::MAX] {
            let refused = fan_out_all(endpoints(), depth_before, &[event("one")]).err();
            assert_eq!(refused, Some(Refusal::WebhookLoop));
            assert!(fan_out_all(endpoints(), depth_before, &[]).is_ok(), "there is no event");
        }
    }
}
