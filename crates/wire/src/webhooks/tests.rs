//! Tests of the bodies of webhooks (spec 2.5, wire facts 6).

mod examples;
mod fields;
mod odd_cases;

use confab_domain::app::AppCode;
use confab_domain::ids::{AgentId, AppId, ChannelId, MessageId, RoomId, SessionId, UserKey};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event::Event;
use confab_domain::webhooks::event_kind::EventKind;
use confab_domain::webhooks::example_ids::ExampleIds;
use serde_json::Value;

use super::body;
use super::examples::example;

/// Returns ids up to the largest possible one, at 2026-01-31 10:00:00.123456.
fn ids() -> ExampleIds {
    ExampleIds {
        app_code: AppCode::parse("shop-1").expect("valid"),
        app: AppId(1),
        channel: ChannelId(42),
        room: RoomId(55),
        customer: UserKey(77),
        agent: AgentId(9),
        session: SessionId(301),
        first_message: MessageId(268_968_050_000_000),
        message: MessageId(9_007_199_254_740_991),
        now: Timestamp(1_769_853_600_123_456),
    }
}

fn an_example(kind: EventKind) -> Event {
    example(kind, &ids()).expect("an example")
}

/// Returns the body as text.
fn text(event: &Event) -> String {
    String::from_utf8(body(event)).expect("UTF-8")
}

/// Returns the body as a value.
fn value(event: &Event) -> Value {
    serde_json::from_slice(&body(event)).expect("JSON")
}
