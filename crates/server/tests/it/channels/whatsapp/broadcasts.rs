//! `POST /api/v3/admin/broadcast/client` as public clients call it: a template for one or many
//! numbers (channel facts 2).

use confab_domain::limits;
use confab_domain::webhooks::event_kind::EventKind;
use serde_json::{Value, json};

use super::stage::{BUDI, WhatsappStage, status};
use crate::support::answer::{items, keys};
use crate::support::caller::{sent, with_json};
use crate::support::office::Office;
use crate::support::stand_ins::graph_api::GraphScript;

const PATH: &str = "/api/v3/admin/broadcast/client";

impl WhatsappStage {
    fn broadcast(&self) -> Value {
        json!({"channel_id": self.channel, "template_name": "hello", "language": "id",
            "namespace": "27f5f7a6_c452_4f71_aeff_14fb50b67db8", "phone_number": BUDI,
            "variables": ["Budi"]})
    }
}

#[tokio::test]
async fn a_broadcast_sends_a_template_and_its_delivery_state_is_tracked() {
    let stage = WhatsappStage::with_templates().await;
    let answer = stage.office.post(PATH, stage.broadcast()).await.data();
    assert_eq!(keys(&answer), ["broadcast_job_id", "broadcast_logs"]);
    assert!(answer["broadcast_job_id"].is_i64());
    let log = &answer["broadcast_logs"][0];
    let expected =
        ["id", "message_id", "phone_number", "reason", "room_id", "sent_at", "status", "variables"];
    assert_eq!(keys(log), expected);
    assert_eq!((&log["phone_number"], &log["status"]), (&json!(BUDI), &json!("queued")));
    assert_eq!(log["variables"], json!(["Budi"]));
    let call = stage.graph.sends(1).await.remove(0);
    assert_eq!((&call.body["to"], &call.body["template"]["name"]), (&json!(BUDI), &json!("hello")));
    let room = log["room_id"].as_str().expect("a room").to_owned();
    stage.wait_for_state(&room, "Halo Budi", "sent").await;
    stage.post_webhook(&status(&call.id, Some(&call.tag()), "read", None)).await;
    stage.wait_for_state(&room, "Halo Budi", "read").await;
    assert_eq!(stage.deliveries(EventKind::ChannelSend).await.len(), 1);
    assert!(stage.deliveries(EventKind::NewSession).await.is_empty());
}

#[tokio::test]
async fn a_broadcast_sends_once_per_number_and_one_failure_does_not_stop_the_others() {
    let stage = WhatsappStage::with_templates().await;
    let mut body = stage.broadcast();
    body["phone_number"] = json!(null);
    let numbers = json!(["0811111111", "62811111111", "+62 822-2222-222", 628333333333_u64]);
    body["phone_numbers"] = numbers;
    body["unique_temp_id"] = json!("campaign");
    stage.graph.script(GraphScript::Refused(400, 131_026));
    let logs = stage.office.post(PATH, body.clone()).await.data()["broadcast_logs"].take();
    let numbers: Vec<_> = items(&logs).iter().map(|it| &it["phone_number"]).collect();
    assert_eq!(numbers, ["62811111111", "628222222222", "628333333333"]);
    stage.wait_until_delivered().await;
    assert_eq!(stage.graph.sent().len(), 2);
    let mut states = Vec::new();
    for log in items(&logs) {
        let room = log["room_id"].as_str().expect("a room");
        states.push(stage.status(room, "Halo Budi").await["state"].take());
    }
    states.sort_by_key(ToString::to_string);
    assert_eq!(states, ["failed", "sent", "sent"]);
    // Repeating the call returns the same log entries.
    let again = stage.office.post(PATH, body).await.data()["broadcast_logs"].take();
    let ids = |logs: &Value| items(logs).iter().map(|it| it["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&again), ids(&logs));
    stage.wait_until_delivered().await;
    assert_eq!(stage.graph.sent().len(), 2);
}

#[tokio::test]
async fn only_the_app_and_its_admins_can_broadcast() {
    let stage = WhatsappStage::with_templates().await;
    for role in ["agent", "supervisor"] {
        let by = stage.office.hire(role, role).await;
        by.post(PATH, stage.broadcast()).await.errors(403, "forbidden");
    }
    let rival = Office::of(&stage.server.create_app("rival").await);
    rival.post(PATH, stage.broadcast()).await.errors(404, "channel_not_found");
    let bare = stage.server.bare(reqwest::Method::POST, PATH);
    let bare = bare.header("SERVICE-App-Id", &stage.server.code);
    let answer = sent(with_json(bare, &stage.broadcast())).await;
    assert_eq!(answer.status, 401);
    assert!(stage.graph.sent().is_empty());
    stage.admin().await.post(PATH, stage.broadcast()).await.data();
    stage.graph.sends(1).await;
}

#[tokio::test]
async fn an_invalid_broadcast_is_refused_and_sends_nothing() {
    let stage = WhatsappStage::with_templates().await;
    let many: Vec<_> = (0..=limits::BROADCAST_NUMBERS_MAX).map(|it| 62_811_000_000 + it).collect();
    for (field, value) in [
        ("phone_number", json!("")),
        ("phone_number", json!([BUDI, "nobody"])),
        ("phone_number", json!(many)),
        ("template_name", json!("unknown")),
        ("template_name", json!("rejected")),
        ("language", json!("fr")),
        ("variables", json!(["a", "b"])),
        ("started_at", json!("2999-01-01 09:00:00")),
        ("started_at", json!("soon")),
        ("channel_id", json!(null)),
    ] {
        let mut body = stage.broadcast();
        body[field] = value.clone();
        let told = stage.office.post(PATH, body).await.errors(400, "invalid_request").message;
        assert!(told.starts_with(field), "{field} {value}: {told}");
    }
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    assert_eq!(rooms["data"]["customer_rooms"], json!([]));
    stage.graph.refuse_templates(Some((500, 2)));
    let mut unknown = stage.broadcast();
    unknown["template_name"] = json!("not known here");
    let answer = stage.office.post(PATH, unknown).await;
    assert!([400, 503].contains(&answer.status), "{}", answer.text);
    assert!(stage.graph.sent().is_empty());
}
