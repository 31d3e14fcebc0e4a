//! Tests of absent and unusual values, and of values whose spelling must be preserved.

use std::sync::Arc;

use confab_domain::agents::role::Role;
use confab_domain::ids::DeliveryId;
use confab_domain::json_text::JsonText;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::UserId;
use confab_domain::rooms::room::RoomKind;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event::{
    AgentAllocation, Bot, CustomButton, EndpointTransition, Event, LoggedOut, MessageSource,
    NewSession, Resolved,
};
use confab_domain::webhooks::event_kind::EventKind;
use serde_json::{Value, json};

use super::{an_example, ids, text, value};
use crate::webhooks::RoomOptions;

/// Quotes, backslashes, control characters, line separators and four-byte characters.
const ODD_TEXT: &str = "\"a\" \\ / \n\t\u{0}\u{1f} \u{2028}\u{2029} é 👩‍👩‍👧 \u{feff}<script>";

/// Numbers that a JSON library would write differently.
const NUMBERS: &str = r#"{"z":1.0, "a":[1e2,12345678901234567890,1e999,-0.0], "k":"\u0041"}"#;

fn bot(change: impl FnOnce(&mut Bot)) -> Event {
    let Event::Bot(mut bot) = an_example(EventKind::Bot) else { panic!("another kind") };
    change(&mut bot);
    Event::Bot(bot)
}

fn allocation(change: impl FnOnce(&mut AgentAllocation)) -> Event {
    let Event::AgentAllocation(mut allocation) = an_example(EventKind::AgentAllocation) else {
        panic!("another kind")
    };
    change(&mut allocation);
    Event::AgentAllocation(allocation)
}

fn click(change: impl FnOnce(&mut CustomButton)) -> Event {
    let Event::CustomButton(mut click) = an_example(EventKind::CustomButton) else {
        panic!("another kind")
    };
    change(&mut click);
    Event::CustomButton(click)
}

fn resolved(change: impl FnOnce(&mut Resolved)) -> Event {
    let Event::Resolved(mut resolved) = an_example(EventKind::Resolved) else {
        panic!("another kind")
    };
    change(&mut resolved);
    Event::Resolved(resolved)
}

fn new_session(change: impl FnOnce(&mut NewSession)) -> Event {
    let Event::NewSession(mut session) = an_example(EventKind::NewSession) else {
        panic!("another kind")
    };
    change(&mut session);
    Event::NewSession(session)
}

fn logout(change: impl FnOnce(&mut LoggedOut)) -> Event {
    let Event::LoggedOut(mut logout) = an_example(EventKind::LoggedOut) else {
        panic!("another kind")
    };
    change(&mut logout);
    Event::LoggedOut(logout)
}

#[test]
fn an_absent_candidate_and_an_absent_session_are_null() {
    let event = allocation(|allocation| {
        allocation.candidate = None;
        allocation.latest_session = None;
        allocation.extras = None;
    });
    let body = value(&event);
    assert_eq!(body.get("candidate_agent"), Some(&Value::Null));
    assert_eq!(body.get("latest_service"), Some(&Value::Null));
    assert_eq!(body["extras"], "{}");
}

#[test]
fn a_dashboard_user_may_have_no_avatar_and_no_login() {
    let event = logout(|logout| {
        logout.user.avatar_url = None;
        logout.user.last_login_at = None;
    });
    let user = &value(&event)["payload"]["user"];
    assert_eq!(user.get("avatar_url"), Some(&Value::Null));
    assert_eq!(user["last_login"], user["created_at"], "never null");
}

#[test]
fn every_role_is_written_as_number_and_name() {
    for (role, number, name) in
        [(Role::Admin, 1, "admin"), (Role::Agent, 2, "agent"), (Role::Supervisor, 3, "supervisor")]
    {
        let user = &value(&logout(|logout| logout.user.user.role = role))["payload"]["user"];
        assert_eq!((&user["type"], &user["type_as_string"]), (&number.into(), &name.into()));
        assert_eq!(value(&click(|click| click.clicked_by.role = role))["agent"]["type"], name);
        let body = value(&resolved(|resolved| resolved.resolved_by.role = role));
        assert_eq!(body["resolved_by"]["type"], name);
    }
}

#[test]
fn each_flag_of_a_dashboard_user_has_its_own_key() {
    for at in 0..3 {
        let event = logout(|logout| {
            logout.user.is_forced_offline = at == 0;
            logout.user.is_available = at == 1;
            logout.user.is_verified = at == 2;
        });
        let user = &value(&event)["payload"]["user"];
        let flags = ["force_offline", "is_available", "is_verified"].map(|flag| &user[flag]);
        assert_eq!(flags, [&json!(at == 0), &json!(at == 1), &json!(at == 2)]);
    }
}

#[test]
fn an_unassigned_open_session_has_null_for_absent_events() {
    let event = allocation(|allocation| {
        let session = allocation.latest_session.as_mut().expect("a session");
        session.served_by = None;
        session.taken_at = None;
        session.notes = None;
        session.resolved_at = None;
    });
    let service = &value(&event)["latest_service"];
    for key in ["user_id", "retrieved_at", "notes", "resolved_at"] {
        assert_eq!(service.get(key), Some(&Value::Null), "{key}");
    }
    assert_eq!(service["is_resolved"], false);
}

#[test]
fn a_text_message_has_an_empty_payload_and_empty_extras() {
    let message = &value(&an_example(EventKind::Bot))["payload"]["message"];
    assert_eq!((&message["payload"], &message["extras"]), (&json!({}), &json!({})));
    let session = value(&an_example(EventKind::NewSession));
    assert_eq!(session["payload"]["message"]["payload"], json!({}));
}

#[test]
fn payload_and_extras_are_passed_on_verbatim() {
    let event = bot(|bot| {
        bot.message.kind = MessageKind::Custom;
        bot.message.payload = Some(JsonText::from_checked(NUMBERS));
        bot.message.extras = Some(JsonText::from_checked("[1.0, null]"));
    });
    let body = text(&event);
    assert!(body.contains(&format!(r#""payload":{NUMBERS},"text""#)), "{body}");
    assert!(body.contains(r#""extras":[1.0, null],"id""#), "{body}");
    assert!(body.contains(r#""type":"custom""#), "{body}");
    let event = new_session(|session| {
        session.message.payload = Some(JsonText::from_checked(NUMBERS));
        session.extras = Some(JsonText::from_checked(NUMBERS));
    });
    let body = text(&event);
    assert!(body.contains(&format!(r#""payload":{NUMBERS},"text""#)), "{body}");
    assert!(body.contains(&format!(r#""extras":{NUMBERS},"has_no_message""#)), "{body}");
}

#[test]
fn json_in_a_string_is_passed_on_verbatim() {
    let options = r#"{"source":"widget", "n":1.0, "quote":"\"\\\u2028"}"#;
    let event = bot(|bot| bot.room.options = JsonText::from_checked(options));
    assert_eq!(value(&event)["payload"]["room"]["options"], options);
    let event = allocation(|it| it.extras = Some(JsonText::from_checked(NUMBERS)));
    assert_eq!(value(&event)["extras"], NUMBERS);
}

#[test]
fn unusual_characters_are_preserved() {
    let odd = || ODD_TEXT.to_owned();
    let event = bot(|bot| {
        bot.message.text = odd();
        Arc::make_mut(&mut bot.customer).username = odd();
        bot.channel.name = odd();
        bot.room.name = odd();
    });
    let body = value(&event);
    for path in ["/payload/message/text", "/payload/from/name", "/channel/name"] {
        assert_eq!(body.pointer(path), Some(&json!(ODD_TEXT)), "{path}");
    }
    assert_eq!(body["payload"]["room"]["name"], ODD_TEXT);
    let notes = value(&resolved(|resolved| resolved.session.notes = Some(odd())));
    assert_eq!(notes["service"]["notes"], ODD_TEXT);
}

#[test]
fn an_unusual_channel_name_yields_valid_options() {
    let Event::NewSession(session) = an_example(EventKind::NewSession) else {
        panic!("another kind")
    };
    let mut channel = session.channel;
    channel.name = ODD_TEXT.to_owned();
    channel.phone = String::new();
    let options = RoomOptions { channel: &channel, is_resolved: true, is_waiting: false };
    let read: Value = serde_json::from_str(options.to_json().as_str()).expect("JSON");
    let expected = json!({
        "channel": "wa",
        "channel_details": {"channel_id": 42, "name": ODD_TEXT, "phone": ""},
        "is_resolved": true,
        "is_waiting": false,
        "source": "wa",
    });
    assert_eq!(read, expected);
}

#[test]
fn a_message_of_the_message_api_has_both_types_set() {
    let body = value(&bot(|bot| bot.message_source = MessageSource::MessageApi));
    assert_eq!(body["type"], "post_comment_rest");
    assert_eq!(body["payload"]["type"], "post_comment_rest");
}

#[test]
fn the_first_message_of_a_room_follows_number_0() {
    let message = &value(&bot(|bot| bot.message.before = None))["payload"]["message"];
    assert_eq!(message["comment_before_id"], 0);
    assert_eq!(message["comment_before_id_str"], "0");
}

#[test]
fn the_unique_id_is_from_the_client_or_else_from_the_server() {
    let given = || UniqueId::from_stored("once".to_owned());
    let event = bot(|bot| bot.message.client_unique_id = Some(given()));
    assert_eq!(value(&event)["payload"]["message"]["unique_temp_id"], "once");
    let derived = UniqueId::of(ids().room, ids().message);
    let body = value(&an_example(EventKind::Bot));
    assert_eq!(body["payload"]["message"]["unique_temp_id"], derived.as_str());
}

#[test]
fn a_message_time_is_written_in_four_formats() {
    for (time, micros, seconds, unix) in [
        (
            1_769_853_600_000_000,
            "2026-01-31T10:00:00.000000Z",
            "2026-01-31T10:00:00Z",
            "1769853600",
        ),
        (
            1_769_853_600_999_999,
            "2026-01-31T10:00:00.999999Z",
            "2026-01-31T10:00:00Z",
            "1769853600",
        ),
        (
            1_769_853_600_000_010,
            "2026-01-31T10:00:00.000010Z",
            "2026-01-31T10:00:00Z",
            "1769853600",
        ),
    ] {
        let event = bot(|bot| bot.message.posted_at = Timestamp(time));
        let message = &value(&event)["payload"]["message"];
        assert_eq!(message["created_at"], micros);
        assert_eq!(message["timestamp"], seconds);
        assert_eq!(message["unix_timestamp"].to_string(), unix);
        assert_eq!(message["unix_nano_timestamp"], time * 1000);
    }
}

#[test]
fn a_public_room_is_a_public_channel_of_type_group() {
    for (kind, is_public, name) in [
        (RoomKind::Single, false, "single"),
        (RoomKind::Group, false, "group"),
        (RoomKind::Public, true, "group"),
    ] {
        let room = &value(&bot(|bot| bot.room.kind = kind))["payload"]["room"];
        assert_eq!((&room["is_public_channel"], &room["type"]), (&is_public.into(), &name.into()));
    }
}

#[test]
fn all_participants_are_listed_in_order() {
    let event = bot(|bot| {
        let users = ["ana", "budi"].map(|id| UserId::from_stored(id.to_owned()));
        bot.room.participants = users.into();
    });
    let room = &value(&event)["payload"]["room"];
    assert_eq!(room["participants"], json!([{"email": "ana"}, {"email": "budi"}]));
}

#[test]
fn absent_notes_are_null_for_buttons_and_empty_for_resolved_sessions() {
    let body = value(&click(|click| {
        click.notes = None;
        click.infos.clear();
        click.properties.clear();
        click.tags.clear();
    }));
    assert_eq!(body.get("notes"), Some(&Value::Null));
    for key in ["additional_info", "customer_properties", "tag"] {
        assert_eq!(body[key], json!([]), "{key}");
    }
    let body = value(&resolved(|resolved| resolved.session.notes = None));
    assert_eq!(body["service"]["notes"], "");
}

#[test]
fn a_room_log_may_have_a_badge_and_no_extras() {
    let body = value(&new_session(|session| {
        session.extras = None;
        session.badge_url = Some("https://cdn.example.com/badge.png".to_owned());
        session.is_waiting = false;
    }));
    let log = &body["room_log"];
    assert_eq!(log.get("extras"), Some(&Value::Null));
    assert_eq!(log["room_badge"], "https://cdn.example.com/badge.png");
    assert_eq!(log["is_waiting"], false);
}

#[test]
fn the_endpoint_state_webhook_contains_only_deliveries_that_were_given_up() {
    let turns = [
        (EndpointTransition::Degraded, "endpoint.degraded", json!(null)),
        (EndpointTransition::StillFailing, "endpoint.still_failing", json!(null)),
        (EndpointTransition::Recovered, "endpoint.recovered", json!(null)),
        (EndpointTransition::Disabled, "endpoint.disabled", json!(null)),
        (EndpointTransition::Exhausted(DeliveryId(7)), "delivery.exhausted", json!(7)),
    ];
    for (turn, action, delivery) in turns {
        let example = an_example(EventKind::EndpointState);
        let Event::EndpointStateChanged(mut turned) = example else { panic!("another kind") };
        (turned.turn, turned.failing_since) = (turn, None);
        let payload = &value(&Event::EndpointStateChanged(turned))["payload"];
        assert_eq!((&payload["action"], &payload["delivery_id"]), (&json!(action), &delivery));
        assert_eq!(payload["failing_since"], json!(null));
    }
}
