//! Internal notes of conversations (design/support).

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use reqwest::Method;
use serde_json::{Value, json};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::support::answer::{Answer, each, items, keys, text};
use crate::support::caller::{sent, with_json};
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World};

fn path(customer: &Customer) -> String {
    format!("/api/v2/customer_rooms/{}/notes", customer.room())
}

async fn add_note(by: &Worker, customer: &Customer, note: &str) -> Value {
    by.post(&path(customer), json!({"text": note})).await.data()["note"].take()
}

async fn change(by: &Worker, customer: &Customer, note: &Value, to: &str) -> Answer {
    let path = format!("{}/{}", path(customer), text(&note["id"]));
    sent(with_json(by.request(Method::PATCH, &path), &json!({"text": to}))).await
}

async fn delete(by: &Worker, customer: &Customer, note: &Value) -> Answer {
    by.delete(&format!("{}/{}", path(customer), text(&note["id"]))).await
}

async fn texts(by: &Worker, customer: &Customer) -> Vec<String> {
    let list = by.get(&path(customer), &[]).await.json();
    each(&list["data"]["notes"], "text").into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn agents_can_edit_only_their_own_notes_and_admins_can_delete_any() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let own = add_note(&bo, &ann, "calls at noon").await;
    assert_eq!(keys(&own), ["by", "created_at", "id", "text", "updated_at"]);
    assert_eq!(own["by"], json!({"id": bo.id, "name": "Bo"}));
    let theirs = add_note(&admin, &ann, "is patient").await;
    assert_eq!(texts(&bo, &ann).await, ["is patient", "calls at noon"]);
    let changed = change(&bo, &ann, &own, "calls at one").await.data()["note"].take();
    assert_eq!((&changed["id"], &changed["created_at"]), (&own["id"], &own["created_at"]));
    assert_ne!(changed["updated_at"], own["updated_at"]);
    for (by, note) in [(&bo, &theirs), (&admin, &own)] {
        change(by, &ann, note, "mine").await.errors(403, "not_your_note");
    }
    delete(&bo, &ann, &theirs).await.errors(403, "not_your_note");
    for by in [&cy] {
        by.get(&path(&ann), &[]).await.errors(403, "not_your_room");
        by.post(&path(&ann), json!({"text": "x"})).await.errors(403, "not_your_room");
        change(by, &ann, &own, "x").await.errors(403, "not_your_room");
        delete(by, &ann, &own).await.errors(403, "not_your_room");
    }
    let gone = delete(&admin, &ann, &own).await.data();
    assert_eq!(gone["note"]["text"], "calls at one");
    delete(&admin, &ann, &own).await.errors(404, "note_not_found");
    assert_eq!(texts(&admin, &ann).await, ["is patient"]);
}

#[tokio::test]
async fn a_note_posted_twice_with_one_unique_id_is_stored_once() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    let body = || json!({"text": "calls at noon", "unique_temp_id": "made-by-the-page"});
    let first = admin.post(&path(&ann), body()).await.data();
    assert_eq!(admin.post(&path(&ann), body()).await.data(), first);
    assert_eq!(texts(&admin, &ann).await, ["calls at noon"]);
    assert_ne!(admin.post(&path(&ben), body()).await.data(), first);
    office.assign(&ann, &bo).await.data();
    bo.post(&path(&ann), body()).await.errors(403, "not_your_note");
    let long = json!({"text": "x", "unique_temp_id": "x".repeat(1000)});
    admin.post(&path(&ann), long).await.errors(400, "invalid_request");
}

#[tokio::test]
async fn only_agents_of_the_app_can_read_and_change_notes() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, ann) = (office.admin().await, office.waiting("ann").await);
    let note = add_note(&admin, &ann, "classified").await;
    sent(server.bare(Method::GET, &path(&ann))).await.errors(401, "unauthorized");
    office.get(&path(&ann), &[]).await.errors(401, "unauthorized");
    sent(server.request(Method::GET, &path(&ann))).await.errors(401, "unauthorized");
    let other = server.create_app("other").await;
    let other = World::of_app(&server, &other).await;
    let (stranger, their) = (other.admin().await, other.waiting("eve").await);
    stranger.get(&path(&ann), &[]).await.errors(404, "room_not_found");
    stranger.post(&path(&ann), json!({"text": "x"})).await.errors(404, "room_not_found");
    change(&stranger, &ann, &note, "x").await.errors(404, "room_not_found");
    delete(&stranger, &ann, &note).await.errors(404, "room_not_found");
    change(&stranger, &their, &note, "x").await.errors(404, "note_not_found");
    delete(&stranger, &their, &note).await.errors(404, "note_not_found");
    let messages = office.texts(&ann).await;
    assert!(
        !messages.iter().any(|it| it.contains("classified")),
        "a note is not a message: {messages:?}"
    );
}

#[tokio::test]
async fn notes_are_paged_and_invalid_ones_are_refused() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, ann) = (office.admin().await, office.waiting("ann").await);
    for number in 1..=5 {
        add_note(&admin, &ann, &number.to_string()).await;
    }
    let (mut seen, mut before) = (Vec::new(), None::<String>);
    loop {
        let mut query = vec![("limit", "2")];
        query.extend(before.as_deref().map(|before| ("before", before)));
        let page = admin.get(&path(&ann), &query).await.json();
        assert!(items(&page["data"]["notes"]).len() <= 2);
        seen.extend(each(&page["data"]["notes"], "text").into_iter().map(str::to_owned));
        before = page["meta"]["before"].as_str().map(str::to_owned);
        if before.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["5", "4", "3", "2", "1"]);
    for wrong in [json!({}), json!({"text": ""}), json!({"text": 7}), json!({"text": ["x"]})] {
        admin.post(&path(&ann), wrong).await.errors(400, "invalid_request");
    }
    let long = json!({"text": "x".repeat(4001)});
    admin.post(&path(&ann), long).await.errors(400, "invalid_request");
    add_note(&admin, &ann, &"é".repeat(4000)).await;
    for id in ["0", "x", "-1", "99999999999999999999"] {
        delete(&admin, &ann, &json!({"id": id})).await.errors(404, "note_not_found");
    }
}

#[tokio::test]
async fn changes_of_notes_are_sent_to_pages_that_opened_the_conversation() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let (ann, eve) = (office.waiting("ann").await, office.waiting("eve").await);
    let url = format!("{}/api/v2/inbox/live", admin.caller.base.replace("http://", "ws://"));
    let mut request = url.into_client_request().expect("an address");
    request.headers_mut().insert("authorization", admin.token.parse().expect("a header"));
    let mut page = connect_async(request).await.expect("connects").0;
    let open = json!({"type": "open", "room_id": ann.room()});
    page.send(Message::text(open.to_string())).await.expect("sent");
    let mut next = async |kind: &str| loop {
        let frame = tokio::time::timeout(Duration::from_secs(60), page.next()).await;
        let Message::Text(frame) = frame.expect("soon").expect("open").expect("a frame") else {
            continue;
        };
        let mut frame: Value = serde_json::from_str(&frame).expect("JSON");
        if frame["type"] == kind {
            return frame["data"].take();
        }
    };
    next("opened").await;
    add_note(&bo, &eve, "not shown").await;
    let note = add_note(&bo, &ann, "calls at noon").await;
    let shown = json!({"room_id": ann.room(), "what": "added", "note": note});
    assert_eq!(next("note").await, shown);
    let changed = change(&bo, &ann, &note, "calls at one").await.data()["note"].take();
    let shown = json!({"room_id": ann.room(), "what": "changed", "note": changed});
    assert_eq!(next("note").await, shown);
    delete(&bo, &ann, &note).await.data();
    let shown = json!({"room_id": ann.room(), "what": "deleted", "note": {"id": note["id"]}});
    assert_eq!(next("note").await, shown);
}
