//! Requests about customer support, with all of their invalid fields.

use confab_domain::ids::{AgentId, ChannelId, RoomId};
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use serde_json::json;

use super::requests::read_assign_agent;
use super::rooms::{RoomFilter, RoomPlace};
use crate::body::Body;
use crate::omnichannel_api::support::customers::infos::{read_property, read_user_info};

fn fields(refusal: Refusal) -> Vec<String> {
    match refusal {
        Refusal::Invalid(problems) => problems.into_iter().map(|it| it.field).collect(),
        other => panic!("{other}"),
    }
}

#[test]
fn an_assignment_is_accepted_as_form_or_json_with_integers_or_strings() {
    let form = Body::from_form(b"room_id=55&agent_id=7&max_agent=2&replace_latest_agent=true");
    let read = read_assign_agent(&form.expect("a form")).expect("read");
    assert_eq!((read.room, read.agent), (RoomId(55), AgentId(7)));
    assert_eq!((read.wish.agents_max, read.wish.replaces_latest), (Some(2), true));
    let body = json!({"room_id": "55", "agent_id": 7, "max_agent": null}).to_string();
    let read = read_assign_agent(&Body::from_json(body.as_bytes()).expect("JSON")).expect("read");
    assert_eq!((read.wish.agents_max, read.wish.replaces_latest), (None, false));
}

#[test]
fn every_invalid_field_of_an_assignment_is_reported() {
    let body = json!({"room_id": "x", "max_agent": 0, "replace_latest_agent": "maybe"}).to_string();
    let refused = read_assign_agent(&Body::from_json(body.as_bytes()).expect("JSON")).err();
    let named = fields(refused.expect("refused"));
    assert_eq!(named, ["room_id", "agent_id", "max_agent", "replace_latest_agent"]);
}

#[test]
fn room_filters_are_accepted_in_a_query_or_a_body() {
    let query = b"channels=%5B%7B%22source%22%3A%22wa%22%2C%22channel_id%22%3A3%7D%5D\
        &serve_status=unserved&status=unresolved&text=ANA&limit=900&cursor_after=12-34";
    let wanted = RoomFilter::read(&Body::from_form(query).expect("a query")).expect("read");
    assert_eq!(wanted.channels, [ChannelId(3)]);
    assert_eq!((wanted.is_served, wanted.is_resolved), (Some(false), Some(false)));
    assert_eq!((wanted.text.as_deref(), wanted.size), (Some("ana"), 20));
    assert_eq!(wanted.after, Some(RoomPlace::Updated(Timestamp(12), RoomId(34))));
    let body = json!({"serve_status": "half", "status": 3, "agent": -1, "cursor_after": "x",
        "channels": [{"source": "wa"}], "is_handled_by_bot": "perhaps"});
    let refused = RoomFilter::read(&Body::from_json(body.to_string().as_bytes()).expect("JSON"));
    assert_eq!(fields(refused.expect_err("refused")).len(), 6);
}

#[test]
fn properties_are_a_list_of_keys_and_values() {
    let read = |body: serde_json::Value| {
        let text = body.to_string();
        read_user_info(&Body::from_json(text.as_bytes()).expect("JSON"))
    };
    let parsed =
        read(json!({"user_properties": [{"key": "city", "value": "Solo"}]})).expect("read");
    let infos = parsed.infos.expect("infos");
    assert_eq!((infos[0].key.as_str(), infos[0].value.as_str()), ("city", "Solo"));
    let listed = json!([{"key": "city", "value": ""}]).to_string();
    let parsed = read(json!({"user_properties": listed})).expect("read");
    assert_eq!(parsed.infos.expect("infos").len(), 1, "as a string in a form");
    for none in [json!([]), json!("[]"), json!("[ ]")] {
        let parsed = read(json!({"user_properties": none})).expect("read");
        assert_eq!(parsed.infos.map(|infos| infos.len()), Some(0), "{none}");
    }
    assert!(read(json!({"notes": "x"})).expect("read").infos.is_none(), "properties are absent");
    for wrong in [json!({}), json!({"user_properties": {}}), json!({"user_properties": [{}]})] {
        assert!(read(wrong.clone()).is_err(), "{wrong}");
    }
}

#[test]
fn numbers_and_booleans_are_stored_as_text() {
    let read = |value: &str| {
        let text = format!(r#"{{"user_properties": [{{"key": "k", "value": {value}}}]}}"#);
        read_user_info(&Body::from_json(text.as_bytes()).expect("JSON"))
    };
    for value in ["42", "-1.50", "12345678901234567890123", "1e3", "true", "false"] {
        assert_eq!(read(value).expect("read").infos.expect("infos")[0].value, value, "unchanged");
    }
    for wrong in ["null", "[]", "{}", &"9".repeat(4001)] {
        assert_eq!(fields(read(wrong).expect_err("refused")), ["user_properties[0].value"]);
    }
    let property = |json: &str| read_property(&Body::from_json(json.as_bytes()).expect("JSON"));
    let read = property(r#"{"label": "Tier", "value": 3}"#).expect("read");
    assert_eq!(read, ("Tier".to_owned(), "3".to_owned()));
}
