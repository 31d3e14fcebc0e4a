//! Ratings of conversations by customers (design/support).

use confab_domain::agents::role::Role;
use serde_json::{Value, json};

use crate::support::answer::{each, items, text};
use crate::support::client::Client;
use crate::support::office::Worker;
use crate::support::shop::Shop;
use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World};

const SETTINGS: &str = "/api/v2/settings";

/// Opens a shop that asks for ratings; returns it, its admin, an agent, and the resolved room in
/// which the agent served ann.
async fn shop_with_question() -> (Shop, Worker, Worker, String) {
    let shop = Shop::open().await;
    let (admin, bo) = (shop.admin().await, shop.agent("Bo").await);
    admin.patch(SETTINGS, json!({"is_rating_asked": true})).await.data();
    let room = shop.room_of("ann").await;
    serve(&shop, &bo, &room).await;
    (shop, admin, bo, room)
}

async fn serve(shop: &Shop, by: &Worker, room: &str) {
    shop.assign_room(room, by).await.data();
    shop.reply(by, room, "hello").await.data();
    by.resolve_own(room).await.data();
}

async fn row(by: &Worker, room: &str) -> Value {
    let path = format!("/api/v2/customer_rooms/{room}");
    by.get(&path, &[]).await.data()["customer_room"].take()
}

async fn conversations(by: &Worker, room: &str) -> Vec<Value> {
    let path = format!("/api/v2/customer_rooms/{room}/conversations");
    items(&by.get(&path, &[]).await.json()["data"]["conversations"]).to_vec()
}

async fn messages(by: &Worker, room: &str) -> Vec<Value> {
    let path = format!("/api/v2/customer_rooms/{room}/messages");
    items(&by.get(&path, &[]).await.json()["data"]["comments"]).to_vec()
}

/// Returns the newest rating question in a room.
async fn question(by: &Worker, room: &str) -> Option<Value> {
    messages(by, room).await.into_iter().rev().find(|it| it["type"] == "buttons")
}

#[tokio::test]
async fn a_rating_from_a_gateway_is_stored_shown_and_counted_and_reopens_nothing() {
    let (shop, admin, bo, room) = shop_with_question().await;
    let posted = messages(&admin, &room).await;
    let kinds = each(&Value::from(posted.clone()), "type").join(" ");
    assert!(
        kinds.ends_with("buttons system_event"),
        "the end of the conversation is posted last: {kinds}"
    );
    let question = question(&admin, &room).await.expect("a question");
    assert_eq!(question["payload"]["text"], "How was this conversation?");
    assert_eq!(each(&question["payload"]["buttons"], "label"), ["Good", "Okay", "Bad"]);
    shop.gateway.next().await;
    let delivered = shop.gateway.next().await.json()["payload"]["message"].take();
    assert_eq!(
        (&delivered["type"], &delivered["payload"]),
        (&json!("buttons"), &question["payload"])
    );
    let kinds = shop.kinds().await;
    assert_eq!(row(&admin, &room).await["rating"], Value::Null);

    shop.write("ann", " good ").await.data();
    assert_eq!(shop.kinds().await, kinds, "a rating sends no webhook");
    let shown = row(&admin, &room).await;
    assert_eq!((&shown["rating"], &shown["is_resolved"]), (&json!(5), &json!(true)));
    assert_eq!((&shown["unread_count"], &shown["is_waiting"]), (&json!(0), &json!(false)));
    assert!(shown["rated_at"].is_string());
    let listed = conversations(&bo, &room).await;
    assert_eq!(listed.len(), 1, "a rating opens no conversation");
    assert_eq!(listed[0]["rating"], 5);
    let path = format!("/api/v2/customer_rooms/{room}/trail");
    let trail = admin.get(&path, &[]).await.json();
    let newest = &trail["data"]["trail"][0];
    assert_eq!((&newest["what"], &newest["rating"]), (&json!("rated"), &json!(5)));

    let rating = json!({"average": 5.0, "count": 1});
    let analytics = async |call: &str| admin.get(&format!("/api/v2/analytics/{call}"), &[]).await;
    assert_eq!(analytics("summary").await.data()["summary"]["rating"], rating);
    let agents = analytics("agents").await.data();
    let of_bo = items(&agents["agents"]).iter().find(|it| it["id"] == bo.id).expect("a row");
    assert_eq!(of_bo["rating"], rating);
    assert_eq!(analytics("channels").await.data()["channels"][0]["rating"], rating);
    let today = analytics("series").await.data()["points"][29]["rating"].take();
    assert_eq!(today, rating);
    let csv = analytics("export.csv").await.text;
    let mut lines = csv.lines();
    assert!(lines.next().is_some_and(|it| it.ends_with(",rating_count,rating_average")), "{csv}");
    assert!(lines.last().is_some_and(|it| it.ends_with(",1,5.00")), "{csv}");

    shop.write("ann", "one more thing").await.data();
    let shown = row(&admin, &room).await;
    assert_eq!((&shown["is_resolved"], &shown["rating"]), (&json!(false), &json!(null)));
    assert_eq!(
        conversations(&bo, &room).await[1]["rating"],
        5,
        "the rating belongs to the previous conversation"
    );
}

#[tokio::test]
async fn a_rating_by_button_can_be_changed_and_counts_in_its_own_room() {
    let (shop, admin, bo, room) = shop_with_question().await;
    admin.patch(SETTINGS, json!({"is_sessional": true})).await.data();
    let button = question(&admin, &room).await.expect("a question")["payload"]["buttons"][2].take();
    let press = |button: &Value| {
        json!({
            "user_id": "ann", "name": "ANN", "type": "button_postback_response",
            "message": button["postback_text"], "payload": button["payload"],
        })
    };
    let first = shop.send(press(&button)).await.data();
    assert_eq!(text(&first["room_log"]["room_id"]), room, "a press opens no new room");
    assert_eq!(row(&admin, &room).await["rating"], 1);
    let mut other = button.clone();
    other["payload"]["payload"]["rating"] = json!(4);
    shop.send(press(&other)).await.data();
    assert_eq!(row(&admin, &room).await["rating"], 4);
    let summary = admin.get("/api/v2/analytics/summary", &[]).await.data();
    assert_eq!(summary["summary"]["rating"], json!({"average": 4.0, "count": 1}));
    for (key, value) in [("session_id", json!("1")), ("rating", json!(9)), ("type", json!("x"))] {
        let mut wrong = button.clone();
        wrong["payload"]["payload"][key] = value;
        let sent = shop.send(press(&wrong)).await.data();
        if key == "session_id" {
            assert_eq!(
                text(&sent["room_log"]["room_id"]),
                room,
                "an outdated button opens no room"
            );
        }
    }
    assert_eq!(row(&admin, &room).await["rating"], 4);
    let next = shop.room_of("ann").await;
    assert_ne!(next, room, "other messages open a new room");
    serve(&shop, &bo, &next).await;
    assert!(question(&admin, &next).await.is_some(), "each conversation has a question of its own");
}

#[tokio::test]
async fn a_widget_customer_can_rate_by_button() {
    let (shop, admin, _, room) = shop_with_question().await;
    let token = shop.customer_token("ann").await;
    let button = question(&admin, &room).await.expect("a question")["payload"]["buttons"][0].take();
    let ann = Client { caller: (*shop.server).clone(), user: "ann".to_owned(), token };
    let body = json!({
        "topic_id": room, "type": "button_postback_response", "comment": "Good",
        "payload": button["payload"],
    });
    ann.post("post_comment", body).await.results();
    assert_eq!(row(&admin, &room).await["rating"], 5);
    assert_eq!(conversations(&admin, &room).await.len(), 1);
}

#[tokio::test]
async fn ratings_are_requested_once_and_only_after_an_agent_resolved_a_conversation() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let bo = office.worker("Bo", Role::Agent, &[]).await;
    let is_asked = async |customer: &Customer| question(&admin, &customer.room()).await.is_some();
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    bo.resolve_own(&ann.room()).await.data();
    assert!(!is_asked(&ann).await, "ratings are off by default");
    admin.patch(SETTINGS, json!({"is_rating_asked": true})).await.data();
    let unserved = office.waiting("ben").await;
    admin.resolve(&unserved.room()).await.data();
    assert!(!is_asked(&unserved).await);
    let blocked = office.waiting("cid").await;
    office.assign(&blocked, &bo).await.data();
    let block = json!({"room_id": blocked.room(), "is_blocked": true});
    admin.post("/api/v1/customer/block", block).await.data();
    admin.resolve(&blocked.room()).await.data();
    assert!(!is_asked(&blocked).await);
    let by_app = office.waiting("dan").await;
    office.assign(&by_app, &bo).await.data();
    let resolve = json!({"room_id": by_app.room()});
    office.post("/api/v1/admin/service/mark_as_resolved", resolve).await.data();
    assert!(!is_asked(&by_app).await, "the app's secret key resolved the conversation");
    let eve = office.waiting("eve").await;
    office.assign(&eve, &bo).await.data();
    let all = json!({"room_ids": [eve.room()], "deed": "resolve"});
    bo.post("/api/v2/customer_rooms/bulk", all).await.data();
    assert!(is_asked(&eve).await);
    bo.post(&format!("/api/v2/customer_rooms/{}/reopen", eve.room()), json!({})).await.data();
    bo.resolve_own(&eve.room()).await.data();
    let posted = messages(&admin, &eve.room()).await;
    assert_eq!(
        posted.iter().filter(|it| it["type"] == "buttons").count(),
        1,
        "a conversation has one question"
    );
    office.says(&eve, "3").await;
    assert_eq!(row(&admin, &eve.room()).await["rating"], 3);
}

#[tokio::test]
async fn rating_texts_can_be_customized_and_must_differ() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let texts = json!({"question": "Bagaimana?", "good": "Baik", "okay": "Cukup", "bad": "Buruk"});
    let wanted = json!({"is_rating_asked": true, "rating_texts": texts});
    let changed = admin.patch(SETTINGS, wanted).await.data()["settings"].take();
    assert_eq!((&changed["is_rating_asked"], &changed["rating_texts"]), (&json!(true), &texts));
    bo.patch(SETTINGS, json!({"is_rating_asked": false})).await.errors(403, "forbidden");
    for (wrong, named) in [
        (json!({"rating_texts": {"good": "Buruk"}}), "rating_texts"),
        (json!({"rating_texts": {"good": "5"}}), "rating_texts"),
        (json!({"rating_texts": {"good": " "}}), "rating_texts.good"),
        (json!({"rating_texts": {"good": "x".repeat(21)}}), "rating_texts.good"),
        (json!({"rating_texts": {"question": "x".repeat(1001)}}), "rating_texts.question"),
        (json!({"rating_texts": {"great": "x"}}), "rating_texts.great"),
        (json!({"rating_texts": "x"}), "rating_texts"),
        (json!({"is_rating_asked": "often"}), "is_rating_asked"),
    ] {
        admin.patch(SETTINGS, wrong).await.errors(400, "invalid_request").says(named);
    }
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    bo.resolve_own(&ann.room()).await.data();
    office.says(&ann, "buruk").await;
    assert_eq!(row(&admin, &ann.room()).await["rating"], 1);
    let again = json!({"rating_texts": {"question": null, "bad": null}});
    let again = admin.patch(SETTINGS, again).await.data()["settings"]["rating_texts"].take();
    let question = "How was this conversation?";
    let expected = json!({"question": question, "good": "Baik", "okay": "Cukup", "bad": "Bad"});
    assert_eq!(again, expected);
}
