//! Telling: a notice becomes one delivery for every endpoint that wants to hear of its kind.
//!
//! Asked by rules that make notices, with the endpoints that the question brought. The body is
//! written by a function handed in: the rules know no JSON.

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

/// Where notices happen: whose they are, what they stay in order with, and what led to them.
#[derive(Debug, Clone, Copy)]
pub struct EventContext {
    pub app: AppId,
    /// What they stay in order with.
    pub lane: Lane,
    /// How many webhooks led to the request that causes them, one after the other; mostly none.
    pub depth_before: u32,
}

/// What is told. No `Debug`: bodies hold messages.
#[derive(Clone, Default)]
pub struct FanOut {
    /// To be stored, in the order of the notices.
    pub deliveries: Vec<Delivery>,
    /// Every notice once, as one who listens hears it: its first delivery, or, where no endpoint
    /// wants it, one that is stored nowhere and has no endpoint and no sequence.
    pub heard: Vec<Delivery>,
}

impl FanOut {
    /// What is to be written.
    pub fn changes(&self) -> Vec<Change> {
        let insert = |it: &Delivery| WebhookChange::InsertDelivery(it.clone()).into();
        self.deliveries.iter().map(insert).collect()
    }
}

/// Tells the endpoints that the facts have for this lane. Refuses when webhooks lead to webhooks
/// for too long.
pub fn tell(
    facts: &Facts,
    stamp: &Stamp<'_>,
    place: EventContext,
    notices: &[Event],
    body: impl Fn(&Event) -> Vec<u8>,
) -> Result<FanOut, Refusal> {
    tell_these(&facts.endpoints, stamp, place, notices, body)
}

/// The same for these endpoints, each with the last sequence of the lane.
pub fn tell_these(
    endpoints: &[(Arc<Endpoint>, u64)],
    stamp: &Stamp<'_>,
    place: EventContext,
    notices: &[Event],
    body: impl Fn(&Event) -> Vec<u8>,
) -> Result<FanOut, Refusal> {
    let depth = place.depth_before.saturating_add(1);
    if notices.iter().any(|it| it.kind().is_webhook()) && depth > limits::WEBHOOK_DEPTH_MAX {
        return Err(Refusal::WebhookLoop);
    }
    let mut told = FanOut::default();
    let mut made: HashMap<EndpointId, u64> = HashMap::new();
    for notice in notices {
        let first = told.deliveries.len();
        let unplaced = unplaced(notice, place, depth, stamp, &body);
        for (endpoint, last) in endpoints.iter().filter(|(it, _)| wants(it, notice)) {
            let sequence = made.entry(endpoint.id).or_insert(*last);
            *sequence += 1;
            // The first has the id that was made already: listeners hear it under the same one.
            let is_first = told.deliveries.len() == first;
            let id = if is_first { unplaced.id } else { DeliveryId(stamp.next_id()) };
            let (endpoint, sequence) = (endpoint.id, *sequence);
            told.deliveries.push(Delivery { id, endpoint, sequence, ..unplaced.clone() });
        }
        if notice.kind().is_webhook() {
            let heard = told.deliveries.get(first).cloned();
            told.heard.push(heard.unwrap_or(unplaced));
        }
    }
    Ok(told)
}

/// One without a name hears everything of its kind.
fn wants(endpoint: &Endpoint, notice: &Event) -> bool {
    endpoint.is_enabled
        && endpoint.kind == notice.kind()
        && (endpoint.name.is_empty()
            || notice.endpoint_name().is_none_or(|name| name == endpoint.name))
}

/// A delivery that goes nowhere yet.
fn unplaced(
    notice: &Event,
    place: EventContext,
    depth: u32,
    stamp: &Stamp<'_>,
    body: &impl Fn(&Event) -> Vec<u8>,
) -> Delivery {
    let body = String::from_utf8(body(notice)).expect("a webhook's body is JSON, which is UTF-8");
    Delivery {
        id: DeliveryId(stamp.next_id()),
        app: place.app,
        endpoint: EndpointId(0),
        kind: notice.kind(),
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

    fn notice(url: &str) -> Event {
        Event::EndpointStateChanged(EndpointStateChanged {
            app: AppCode::parse("shop").expect("valid"),
            kind: EventKind::Bot,
            url: url.to_owned(),
            turn: EndpointTransition::Recovered,
            failing_since: None,
            at: Timestamp(0),
        })
    }

    fn url_as_body(notice: &Event) -> Vec<u8> {
        match notice {
            Event::EndpointStateChanged(turned) => turned.url.clone().into_bytes(),
            _ => Vec::new(),
        }
    }

    fn tell_all(
        endpoints: Vec<(Arc<Endpoint>, u64)>,
        depth_before: u32,
        notices: &[Event],
    ) -> Result<FanOut, Refusal> {
        let facts = Facts { endpoints, ..Facts::default() };
        let stamps = CountingStamps::default();
        let stamp = Stamp::new(&stamps, &facts);
        let place = EventContext { app: AppId(1), lane: Lane(55), depth_before };
        tell(&facts, &stamp, place, notices, url_as_body)
    }

    #[test]
    fn every_enabled_endpoint_of_the_kind_is_told_next_in_its_lane() {
        let endpoints = vec![
            (endpoint(1, EventKind::Bot, true), 9),
            (endpoint(2, EventKind::EndpointState, true), 4),
            (endpoint(3, EventKind::EndpointState, false), 7),
            (endpoint(4, EventKind::EndpointState, true), 0),
        ];
        let told = tell_all(endpoints, 0, &[notice("one"), notice("two")]).expect("told");
        let made = |it: &Delivery| (it.endpoint.0, it.sequence, it.body.to_string(), it.depth);
        let made: Vec<_> = told.deliveries.iter().map(made).collect();
        let (one, two) = ("one".to_owned(), "two".to_owned());
        let expected =
            [(2, 5, one.clone(), 1), (4, 1, one, 1), (2, 6, two.clone(), 1), (4, 2, two, 1)];
        assert_eq!(made, expected);
        let mut ids: Vec<_> = told.deliveries.iter().map(|it| it.id).collect();
        let heard: Vec<_> = told.heard.iter().map(|it| it.id).collect();
        assert_eq!(heard, [ids[0], ids[2]], "listeners hear each once, under its id");
        ids.dedup();
        assert_eq!((ids.len(), told.changes().len()), (4, 4));
        assert!(ids.is_sorted(), "in a lane ids rise");
    }

    #[test]
    fn only_the_endpoint_of_a_pressed_button_is_told() {
        let button = |id: i64| {
            let named = Endpoint {
                name: id.to_string(),
                ..(*endpoint(id, EventKind::CustomButton, true)).clone()
            };
            (Arc::new(named), 0)
        };
        let all = || vec![button(1), button(2), (endpoint(3, EventKind::CustomButton, true), 0)];
        let told = |button: Option<&str>| {
            let told = tell_all(all(), 0, &[click(button)]).expect("told");
            told.deliveries.iter().map(|it| it.endpoint.0).collect::<Vec<_>>()
        };
        assert_eq!(told(Some("2")), [2, 3], "and the one that hears of all");
        assert_eq!(told(Some("9")), [3]);
        assert_eq!(told(None), [1, 2, 3], "an example");
    }

    fn click(button: Option<&str>) -> Event {
        let customer = crate::example::said(1).sender;
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
    fn who_listens_hears_what_no_endpoint_wants() {
        let told = tell_all(vec![], 2, &[notice("one")]).expect("told");
        assert_eq!((told.deliveries.len(), told.heard.len()), (0, 1));
        let heard = &told.heard[0];
        assert_eq!((heard.endpoint, heard.sequence, heard.depth), (EndpointId(0), 0, 3));
    }

    #[test]
    fn three_webhooks_may_lead_to_each_other_and_a_fourth_is_refused() {
        let endpoints = || vec![(endpoint(2, EventKind::EndpointState, true), 0)];
        let told = tell_all(endpoints(), 2, &[notice("one")]).expect("told");
        assert_eq!(told.deliveries[0].depth, 3);
        for depth_before in [3, 4, u32::MAX] {
            let refused = tell_all(endpoints(), depth_before, &[notice("one")]).err();
            assert_eq!(refused, Some(Refusal::WebhookLoop));
            assert!(tell_all(endpoints(), depth_before, &[]).is_ok(), "nothing is told");
        }
    }
}
