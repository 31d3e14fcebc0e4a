//! A listener receives the events of real customers without a registered endpoint.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{items, text};
use crate::support::caller::{sent, with_json};
use crate::support::hooks::Hooks;
use crate::support::office::Office;
use crate::support::test_server::TestServer;

/// A listener of an app, with the cursor of its next call.
struct Listener {
    hooks: Hooks,
    next: String,
}

impl Listener {
    async fn begin(server: &TestServer) -> Self {
        let hooks = Hooks::of(server);
        let data = hooks.get("/listen", &[("wait_seconds", "0")]).await.data();
        Self { hooks, next: data["next"].to_string() }
    }

    /// Returns the kinds and bodies of the events since the last call, in order.
    async fn poll(&mut self) -> (Vec<String>, Vec<Value>) {
        let query = [("after", self.next.as_str()), ("wait_seconds", "0")];
        let data = self.hooks.get("/listen", &query).await.data();
        self.next = data["next"].to_string();
        let events = items(&data["events"]);
        let kinds = events.iter().map(|it| text(&it["kind"]).to_owned()).collect();
        let body = |it: &Value| serde_json::from_str(text(&it["body"])).expect("JSON");
        (kinds, events.iter().map(body).collect())
    }
}

#[tokio::test]
async fn a_listener_receives_every_kind_of_event_without_an_endpoint() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let boss = office.hire("boss", "admin").await;
    let made = boss.post("/api/v2/custom_channels", json!({"name": "SMS"})).await.data();
    let key = made["custom_channel"]["identifier_key"].clone();
    let button = json!({"label": "Ticket", "webhook_url": "https://tickets.example/"});
    let button = boss.post("/api/v2/custom_buttons", button).await.data();
    let button = button["custom_button"]["id"].to_string();
    let mut listener = Listener::begin(&server).await;

    let write = async |message: &str| {
        let body = json!({"identifier_key": key, "user_id": "6281", "message": message});
        let request = server.bare(Method::POST, "/shop/api/v2/custom_channel/send");
        sent(with_json(request, &body)).await.data()["room_log"]["room_id"].take()
    };
    let room = write("hello").await;
    let (kinds, bodies) = listener.poll().await;
    assert_eq!(kinds, ["new_session", "agent_allocation", "bot", "chat_message"]);
    assert_eq!(bodies[2]["payload"]["message"]["text"], "hello");

    let answer =
        json!({"sender_email": "shop_admin@bot.example", "room_id": room, "message": "I am a bot"});
    office.post("/shop/bot", answer).await.data();
    let (kinds, bodies) = listener.poll().await;
    assert_eq!(kinds, ["channel_message", "chat_message"]);
    assert_eq!(bodies[0]["payload"]["message"]["text"], "I am a bot");

    let budi = office.hire("budi", "agent").await;
    office.assign_room(text(&room), &budi).await.data();
    assert_eq!(listener.poll().await.0, ["chat_message"], "the message that an agent joined");
    write("a person!").await;
    assert_eq!(
        listener.poll().await.0,
        ["chat_message"],
        "an agent is assigned, so neither bot nor allocator is notified"
    );

    let path = format!("/api/v2/custom_buttons/{button}/press");
    budi.post(&path, json!({"room_id": room})).await.data();
    assert_eq!(listener.poll().await.0, ["custom_button"]);
    budi.resolve_own(text(&room)).await.data();
    assert_eq!(listener.poll().await.0, ["mark_as_resolved", "chat_message"]);
    budi.log_out().await.data();
    assert_eq!(listener.poll().await.0, ["logout"]);
    let data = listener.hooks.post("/trigger", json!({"kind": "endpoint_state"})).await.data();
    assert_eq!(data["listeners"], 1);
    assert_eq!(listener.poll().await.0, ["endpoint_state"]);
}

/// A registered bot endpoint would hand the room to the bot.
#[tokio::test]
async fn a_listener_does_not_hand_rooms_to_a_bot() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let made = office.post("/api/v2/custom_channels", json!({"name": "SMS"})).await.data();
    let key = made["custom_channel"]["identifier_key"].clone();
    let mut listener = Listener::begin(&server).await;
    let body = json!({"identifier_key": key, "user_id": "6281", "message": "hello"});
    let request = server.bare(Method::POST, "/shop/api/v2/custom_channel/send");
    let room = sent(with_json(request, &body)).await.data()["room_log"]["room_id"].take();
    assert_eq!(listener.poll().await.0.len(), 4);
    let shown = office.get(&format!("/api/v2/customer_rooms/{}", text(&room)), &[]).await.data();
    assert_eq!(shown["customer_room"]["is_handled_by_bot"], false);
    assert_eq!(Hooks::of(&server).list(&[]).await.0.len(), 0, "nothing is stored");
}
