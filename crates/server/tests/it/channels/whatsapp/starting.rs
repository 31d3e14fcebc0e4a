//! Conversations started by an agent: the agent is assigned, and external services are notified
//! when the customer answers (D-0157).

use confab_domain::webhooks::event_kind::EventKind;
use confab_test_servers::receiver::Receiver;
use serde_json::{Value, json};

use super::stage::{BUDI, WhatsappStage, status};
use crate::support::answer::{Answer, items};
use crate::support::caller::{sent, with_json};
use crate::support::office::{Office, Worker};

const START: &str = "/api/v2/customer_rooms/start";

impl WhatsappStage {
    fn start_body(&self, number: &str) -> Value {
        json!({"channel_id": self.channel, "phone_number": number, "name": "Budi",
            "template_name": "hello", "language": "id", "variables": ["Budi"]})
    }

    async fn starts(&self, by: &Worker, number: &str) -> Answer {
        by.post(START, self.start_body(number)).await
    }

    async fn rooms(&self) -> Vec<Value> {
        let rooms = self.office.get("/api/v2/customer_rooms", &[]).await.json();
        items(&rooms["data"]["customer_rooms"]).to_vec()
    }
}

/// Returns the customer room of a response.
fn room(answer: &Answer) -> Value {
    answer.data()["customer_room"].take()
}

fn id(room: &Value) -> String {
    let id = &room["room_id"];
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

#[tokio::test]
async fn an_agent_who_starts_a_conversation_is_assigned_and_the_reply_is_a_new_session() {
    let stage = WhatsappStage::with_templates().await;
    let outside = Receiver::start().await;
    for kind in ["new_session", "agent_allocation", "bot"] {
        stage.server.tell(kind, &outside.url, &json!({})).await;
    }
    let nina = stage.office.hire("nina", "agent").await;
    let started = room(&stage.starts(&nina, "0812-3456-789").await);
    let room = id(&started);
    assert_eq!(
        room,
        stage.room_of(BUDI).await,
        "the number is completed with the channel's country code"
    );
    assert_eq!(started["name"], "Budi");
    let call = stage.graph.sends(1).await.remove(0);
    assert_eq!((&call.body["to"], &call.body["template"]["name"]), (&json!(BUDI), &json!("hello")));
    stage.wait_for_state(&room, "Halo Budi", "sent").await;
    stage.post_webhook(&status(&call.id, Some(&call.tag()), "delivered", None)).await;
    stage.wait_for_state(&room, "Halo Budi", "delivered").await;
    // The starting agent is assigned, and can post once the customer has written.
    let refused = nina
        .post(&format!("/api/v2/customer_rooms/{room}/messages"), json!({"message": "too early"}))
        .await;
    refused.errors(409, "window_closed");
    assert!(!outside.has_more(), "no event before the customer writes");
    stage.writes("wamid.answer", "hello").await;
    let told = outside.next().await;
    assert!(told.text().contains("is_new_session"), "{}", told.text());
    stage.wait_until_delivered().await;
    assert!(!outside.has_more(), "no allocation event while an agent is assigned");
    assert_eq!(stage.room_of(BUDI).await, room);
    stage.post_reply(&nina, &room, "what can I do?").await;
    stage.wait_for_state(&room, "what can I do?", "sent").await;
    stage.writes("wamid.next", "nothing").await;
    stage.wait_until_delivered().await;
    assert_eq!(stage.deliveries(EventKind::NewSession).await.len(), 1);
    // After the resolution, a new conversation starts in the same room.
    assert_eq!(nina.resolve_own(&room).await.status, 200);
    let again = id(&self::room(&stage.starts(&nina, BUDI).await));
    assert_eq!(again, room);
    stage.graph.sends(3).await;
}

#[tokio::test]
async fn a_conversation_started_by_the_app_begins_a_session_with_the_customers_reply() {
    let stage = WhatsappStage::with_templates().await;
    let supervisor = stage.office.hire("sara", "supervisor").await;
    let outside = Receiver::start().await;
    for kind in ["new_session", "agent_allocation"] {
        stage.server.tell(kind, &outside.url, &json!({})).await;
    }
    // Repeating the call posts nothing twice.
    let mut once = stage.start_body(BUDI);
    once["unique_temp_id"] = json!("once");
    let room = id(&room(&stage.office.post(START, once.clone()).await));
    assert_eq!(id(&self::room(&stage.office.post(START, once).await)), room);
    stage.graph.sends(1).await;
    stage.wait_until_delivered().await;
    assert_eq!(stage.graph.sent().len(), 1);
    assert!(!outside.has_more());
    stage.writes("wamid.answer", "hello").await;
    stage.wait_for_texts(&room, 2).await;
    stage.wait_until_delivered().await;
    assert_eq!(stage.deliveries(EventKind::NewSession).await.len(), 1);
    assert_eq!(stage.deliveries(EventKind::AgentAllocation).await.len(), 1);
    // A supervisor who writes to a waiting customer is assigned in the existing room.
    let taken = self::room(&stage.starts(&supervisor, "+62 812 3456 789").await);
    assert_eq!(id(&taken), room);
    assert_eq!(items(&taken["agents"])[0]["id"], supervisor.id);
    stage.graph.sends(2).await;
    // If another agent serves the customer, an admin only posts.
    let beside = self::room(&stage.starts(&stage.admin().await, BUDI).await);
    assert_eq!(items(&beside["agents"]).len(), 1);
    // The name that the customer chose does not change.
    let mut renamed = stage.start_body(BUDI);
    renamed["name"] = json!("Somebody else");
    assert_eq!(self::room(&stage.office.post(START, renamed).await)["name"], "Budi");
}

#[tokio::test]
async fn agents_without_access_and_other_apps_cannot_start_a_conversation() {
    let stage = WhatsappStage::with_templates().await;
    let room = stage.with_room().await;
    let nina = stage.office.hire("nina", "agent").await;
    let olga = stage.office.hire("olga", "agent").await;
    stage.office.assign_room(&room, &nina).await.data();
    stage.starts(&olga, BUDI).await.errors(403, "not_your_room");
    assert_eq!(id(&self::room(&stage.starts(&nina, BUDI).await)), room);
    stage.graph.sends(1).await;
    let update = format!("/api/v2/admin/agent/{}/update", olga.id);
    let other = json!({"name": "SMS", "webhook_url": "https://gateway.example/"});
    let other = stage.office.post("/api/v2/custom_channels", other).await.data();
    let other = other["custom_channel"]["id"].clone();
    stage.office.post(&update, json!({"channel_ids": [other]})).await.data();
    stage.starts(&olga, "628999999999").await.errors(404, "channel_not_found");
    let rival = Office::of(&stage.server.create_app("rival").await);
    rival.post(START, stage.start_body("628999999999")).await.errors(404, "channel_not_found");
    let bare = stage.server.bare(reqwest::Method::POST, START);
    let bare = bare.header("SERVICE-App-Id", &stage.server.code);
    let answer = sent(with_json(bare, &stage.start_body("628999999999"))).await;
    assert_eq!(answer.status, 401);
    let mut elsewhere = stage.start_body("628999999999");
    elsewhere["channel_id"] = other;
    stage.office.post(START, elsewhere).await.errors(409, "cannot_start");
    assert_eq!(stage.rooms().await.len(), 1, "no room is created");
    assert_eq!(stage.graph.sent().len(), 1);
}

#[tokio::test]
async fn an_invalid_number_or_template_starts_no_conversation() {
    let stage = WhatsappStage::with_templates().await;
    let admin = stage.admin().await;
    for number in ["", "x", "12", "+62 812 x", "62812345678901234567", &"1".repeat(100)] {
        let refused = stage.starts(&admin, number).await;
        let told = refused.errors(400, "invalid_request").message;
        assert!(told.starts_with("phone_number"), "{number}: {told}");
    }
    for (field, value) in [
        ("template_name", json!("unknown")),
        ("language", json!("fr")),
        ("variables", json!([])),
        ("channel_id", json!("x")),
        ("phone_number", json!(null)),
    ] {
        let mut body = stage.start_body(BUDI);
        body[field] = value;
        let told = admin.post(START, body).await.errors(400, "invalid_request").message;
        assert!(told.starts_with(field), "{field}: {told}");
    }
    let update = format!("/api/v2/wa/connect/{}/update", stage.channel);
    stage.office.post(&update, json!({"is_active": false})).await.data();
    stage.starts(&admin, BUDI).await.errors(403, "channel_off");
    assert!(stage.rooms().await.is_empty());
    assert!(stage.graph.sent().is_empty());
}
