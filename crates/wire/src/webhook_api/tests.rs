//! Requests of the webhook API, and their problems.

use confab_domain::ids::{DeliveryId, RoomId};
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{DeliveryFilter, DeliveryState, ErrorClass};
use confab_domain::webhooks::endpoint::DeliveryPolicy;
use confab_domain::webhooks::event_kind::EventKind;

use super::deliveries::{ListDeliveries, Replay};
use super::endpoints::read_put_endpoint;
use super::listening::Listen;
use super::triggering::Trigger;
use crate::body::Body;

fn json(text: &str) -> Body<'_> {
    Body::from_json(text.as_bytes()).expect("JSON")
}

fn query(text: &str) -> Body<'static> {
    Body::from_form(text.as_bytes()).expect("a query")
}

#[track_caller]
fn problems<T: std::fmt::Debug>(read: Result<T, Refusal>) -> Vec<String> {
    match read {
        Err(Refusal::Invalid(problems)) => problems.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_endpoint_requires_only_a_url_and_has_a_default_policy() {
    let body = json(r#"{"url":"https://a.example/","per_second_max":null}"#);
    let read = read_put_endpoint(&body, EventKind::Bot).expect("read");
    assert_eq!((read.url.as_str(), read.is_enabled), ("https://a.example/", true));
    assert_eq!(read.policy, DeliveryPolicy::default());
    let form = query("url=http://b/&is_enabled=false&timeout_ms=100&at_once_max=1000&block_s=0");
    let read = read_put_endpoint(&form, EventKind::Bot).expect("read");
    let policy =
        DeliveryPolicy { timeout_ms: 100, at_once_max: 1000, per_second_max: None, block_s: 0 };
    assert_eq!((read.is_enabled, read.policy), (false, policy));
}

#[test]
fn every_invalid_field_of_an_endpoint_is_reported_with_its_bounds() {
    let body = json(
        r#"{"is_enabled":"maybe","timeout_ms":99,"at_once_max":1001,"per_second_max":0,
            "block_s":-1}"#,
    );
    let expected = [
        "url is required",
        "is_enabled must be true or false",
        "timeout_ms must be an integer from 100 to 60000",
        "at_once_max must be an integer from 1 to 1000",
        "per_second_max must be an integer from 1 to 100000",
        "block_s must be an integer from 0 to 864000",
    ];
    assert_eq!(problems(read_put_endpoint(&body, EventKind::Bot)), expected);
}

#[test]
fn deliveries_can_be_filtered_by_all_their_properties() {
    let read = ListDeliveries::read(&query(
        "kind=bot&standing=failed&error=status_5xx&room_id=55&from=2026-01-31T10:00:00Z\
         &until=2026-01-31T11:00:00.5%2B01:00&before=77&limit=100",
    ));
    let wanted = DeliveryFilter {
        kind: Some(EventKind::Bot),
        standing: Some(DeliveryState::Failed),
        error: Some(ErrorClass::Status5xx),
        room: Some(RoomId(55)),
        endpoint: None,
        from: Some(Timestamp(1_769_853_600_000_000)),
        until: Some(Timestamp(1_769_853_600_500_000)),
    };
    let before = Some(DeliveryId(77));
    assert_eq!(read, Ok(ListDeliveries { wanted, before, size: 100 }));
    let nothing = ListDeliveries { wanted: DeliveryFilter::default(), before: None, size: 20 };
    assert_eq!(ListDeliveries::read(&query("kind=&standing=&before=&room_id=")), Ok(nothing));
}

#[test]
fn every_invalid_filter_of_deliveries_is_reported() {
    let read = ListDeliveries::read(&query(
        "kind=bots&standing=lost&error=none&room_id=x&from=today&until=1&before=-1&limit=101",
    ));
    let named = problems(read);
    let fields: Vec<_> = named.iter().filter_map(|it| it.split(' ').next()).collect();
    let expected = ["standing", "room_id", "kind", "error", "from", "until", "before", "limit"];
    assert_eq!(fields, expected);
    assert!(named[0].ends_with("must be one of waiting, parked, delivered, failed"), "{named:?}");
}

#[test]
fn a_replay_sends_failed_deliveries_by_default() {
    let failed =
        DeliveryFilter { standing: Some(DeliveryState::Failed), ..DeliveryFilter::default() };
    assert_eq!(Replay::read(&json("{}")), Ok(Replay { wanted: failed, after: None }));
    let read = Replay::read(&json(r#"{"standing":"delivered","after":"5"}"#)).expect("read");
    assert_eq!(read.wanted.standing, Some(DeliveryState::Delivered));
    assert_eq!(read.after, Some(DeliveryId(5)));
    assert_eq!(problems(Replay::read(&json(r#"{"after":"x"}"#))).len(), 1);
}

#[test]
fn a_trigger_requires_a_kind() {
    assert_eq!(problems(Trigger::read(&json("{}"))), ["kind is required"]);
    let named = problems(Trigger::read(&json(r#"{"kind":"auth"}"#)));
    assert!(named[0].contains("bot, agent_allocation"), "{named:?}");
    let read = Trigger::read(&json(r#"{"kind":"logout","room_id":55}"#)).expect("read");
    assert_eq!(
        (read.kind, read.room.map(|it| it.shown())),
        (EventKind::LoggedOut, Some("55".into()))
    );
}

#[test]
fn a_listener_waits_for_at_most_25_seconds() {
    assert_eq!(Listen::read(&query("")), Ok(Listen { after: None, wait_s: 25 }));
    let read = Listen::read(&query("after=9&wait_seconds=0"));
    assert_eq!(read, Ok(Listen { after: Some(9), wait_s: 0 }));
    assert_eq!(problems(Listen::read(&query("after=x&wait_seconds=26"))).len(), 2);
}
