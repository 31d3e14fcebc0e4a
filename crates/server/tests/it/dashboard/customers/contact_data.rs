//! Export and erasure of a customer's data (design/support).

use confab_domain::agents::role::Role;
use reqwest::Method;
use serde_json::{Value, json};

use crate::dashboard::inbox::Page;
use crate::sdk::foreign_bucket::{Fault, ForeignBucket};
use crate::sdk::uploads::{fetch, form, part, path, send};
use crate::support::answer::{Answer, each, items, text};
use crate::support::caller::{sent, with_json};
use crate::support::hooks::Hooks;
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::waiting::until_so;
use crate::support::world::{Customer, World};

fn export_of(customer: &Customer) -> String {
    format!("/api/v2/contacts/{}/export", customer.key)
}

async fn erase(by: &Worker, customer: &Customer, confirm: &str) -> Answer {
    let path = format!("/api/v2/contacts/{}/erase", customer.key);
    by.post(&path, json!({"confirm": confirm})).await
}

/// Uploads a file and posts it to a room; returns the path of the file.
async fn post_file(by: &Worker, room: &str, bytes: &[u8]) -> String {
    let request = by.request(Method::POST, "/api/v2/files");
    let data = send(request, form(&[part("file", Some("a.png"), bytes)])).await.data();
    let payload = json!({"url": data["file"]["url"], "caption": "", "file_name": "a.png"});
    let message = json!({"type": "file_attachment", "payload": payload});
    let messages = format!("/api/v2/customer_rooms/{room}/messages");
    by.post(&messages, message).await.data();
    path(&data)
}

/// Adds messages, a note, an info and a property, which an erasure must delete.
async fn fill(office: &World, admin: &Worker, ann: &Customer) {
    for number in 0..230 {
        office.says(ann, &format!("planted {number}")).await;
    }
    let room = ann.room();
    let notes = format!("/api/v2/customer_rooms/{room}/notes");
    admin.post(&notes, json!({"text": "planted note"})).await.data();
    let info = format!("/api/v2/customer_rooms/{room}/infos/city");
    admin.put(&info, json!({"value": "planted info"})).await.data();
    let properties = format!("/api/v2/contacts/properties/{}", ann.key);
    admin.post(&properties, json!({"label": "tier", "value": "planted tier"})).await.data();
}

#[tokio::test]
async fn an_export_contains_all_data_of_a_customer() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.customer("ann").await;
    fill(&office, &admin, &ann).await;
    let second = office.another_room(&ann).await;
    office.says(&second, "in another room").await;
    office.waiting("eve").await;
    let file = post_file(&admin, &ann.room(), b"a picture").await;
    let answer = admin.get(&export_of(&ann), &[]).await;
    assert!(answer.header("content-disposition").starts_with("attachment"));
    let data = answer.data();
    assert_eq!(
        (&data["contact"]["user_id"], &data["contact"]["name"]),
        (&json!("ann"), &json!("ANN"))
    );
    assert_eq!(data["properties"][0]["value"], "planted tier");
    let rooms = items(&data["rooms"]);
    assert_eq!(rooms.len(), 2);
    let room = rooms.iter().find(|it| it["room_id"] == json!(ann.room())).expect("the room");
    assert_eq!(room["infos"], json!([{"key": "city", "value": "planted info"}]));
    assert_eq!(room["notes"][0]["text"], "planted note");
    assert_eq!(items(&room["conversations"]).len(), 1);
    let texts = each(&room["messages"], "text");
    let planted: Vec<_> = texts.iter().filter(|it| it.starts_with("planted")).collect();
    assert_eq!((planted[0], planted.len()), (&"planted 0", 230));
    let sent_file = room["messages"].as_array().expect("messages").last().expect("a message");
    assert!(text(&sent_file["payload"]["url"]).ends_with(&file));
    let sue = office.worker("Sue", Role::Supervisor, &[]).await;
    for worker in [&bo, &sue] {
        worker.get(&export_of(&ann), &[]).await.errors(403, "forbidden");
        erase(worker, &ann, "ANN").await.errors(403, "forbidden");
    }
    let stranger = World::of_app(&server, &server.create_app("other").await).await.admin().await;
    assert_eq!(stranger.get(&export_of(&ann), &[]).await.status, 404);
    assert_eq!(erase(&stranger, &ann, "ANN").await.status, 404);
    assert_eq!(office.room(&ann).await["name"], "The room of ann", "the room is unchanged");
}

#[tokio::test]
async fn an_erasure_is_shown_on_pages_at_once_and_sends_no_webhook() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let ann = office.waiting("ann").await;
    let hooks = Hooks::of(&server);
    for kind in ["chat_message", "mark_as_resolved", "new_session"] {
        hooks.register(kind).await;
    }
    office.says(&ann, "a secret").await;
    let before = hooks.list(&[]).await.0;
    let mut page = Page::of(&admin).await;
    page.open(&ann.room()).await;
    erase(&admin, &ann, "ANN").await.data();
    let gone = page.until("messages_deleted").await;
    assert_eq!(items(&gone["unique_ids"]).len(), 2, "{gone}");
    let mut row = page.row().await;
    while row["name"] != "Erased" || row["last_comment_text"] == "a secret" {
        row = page.row().await;
    }
    assert_eq!(hooks.list(&[]).await.0, before, "no webhook is sent");
    let audit = admin.get("/api/v2/audit", &[("what", "contact")]).await;
    assert_eq!(each(&audit.json()["data"]["entries"], "what"), ["contact.erased"]);
    assert!(!audit.text.contains("ANN"), "the entry does not name the customer: {}", audit.text);
}

#[tokio::test]
async fn an_erasure_deletes_a_customers_name_messages_and_files() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let (ann, eve) = (office.customer("ann").await, office.waiting("eve").await);
    fill(&office, &admin, &ann).await;
    let own = post_file(&admin, &ann.room(), b"only of ann").await;
    let shared = post_file(&admin, &ann.room(), b"of both").await;
    post_file(&admin, &eve.room(), b"of both").await;
    erase(&admin, &ann, "EVE").await.errors(400, "invalid_request");
    assert_eq!(erase(&admin, &ann, "ANN").await.data()["is_erased"], true);
    let data = admin.get(&export_of(&ann), &[]).await.text;
    for gone in ["planted", "ann\"", "ANN", "a.png"] {
        assert!(!data.contains(gone), "{gone} is in {data}");
    }
    let room = office.room(&ann).await;
    assert_eq!((&room["name"], &room["notes"]), (&json!("Erased"), &Value::Null));
    let page = format!("/api/v2/customer_rooms/{}/messages", ann.room());
    let traces = admin.get(&page, &[("limit", "100")]).await.json()["data"]["comments"].take();
    assert_eq!(items(&traces).len(), 100, "deleted messages leave traces");
    for word in ["planted", "ann"] {
        let found = admin.get("/api/v2/search", &[("q", word)]).await.json()["data"].take();
        assert_eq!(found, json!({"messages": [], "contacts": []}), "{word}");
    }
    until_so("the file is gone", async || fetch(&server, &own, None).await.1.status == 404).await;
    assert_eq!(
        fetch(&server, &shared, None).await.1.text,
        "of both",
        "another message refers to the file"
    );
    assert_eq!(office.room(&eve).await["name"], "The room of eve");
    erase(&admin, &ann, "Erased").await.data();
}

#[tokio::test]
async fn an_erasure_deletes_files_from_the_bucket_unless_other_messages_use_them() {
    let mut bucket = ForeignBucket::start().await;
    let server = TestServer::start_with(&bucket.settings()).await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let (ann, eve) = (office.waiting("ann").await, office.waiting("eve").await);
    let own = post_file(&admin, &ann.room(), b"only of ann").await;
    let shared = post_file(&admin, &ann.room(), b"of both").await;
    post_file(&admin, &eve.room(), b"of both").await;
    assert_eq!(bucket.objects(), 2, "identical files are one object");
    // A failed deletion is retried.
    bucket.meets(Fault::Status(503));
    erase(&admin, &ann, "ANN").await.data();
    bucket.met(2).await;
    assert_eq!(bucket.objects(), 2);
    bucket.meets(Fault::None);
    until_so("the file is gone", async || bucket.objects() == 1).await;
    fetch(&server, &own, None).await.1.refused(404, "file_not_found");
    assert_eq!(
        fetch(&server, &shared, None).await.1.text,
        "of both",
        "another message refers to the file"
    );
}

#[tokio::test]
async fn an_erased_customer_who_writes_again_is_a_new_contact() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let ann = office.waiting("ann").await;
    erase(&admin, &ann, "ANN").await.data();
    let again = office.waiting("ann").await;
    assert_ne!(again.key, ann.key);
    let contacts = admin.get("/api/v2/contacts", &[]).await.json()["data"]["contacts"].take();
    assert_eq!(each(&contacts, "name"), ["ANN", "Erased"]);
}

#[tokio::test]
async fn only_admins_of_the_app_can_export_and_erase_customers() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let chief = office.worker("Sam", Role::Supervisor, &[]).await;
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    for by in [&bo, &chief] {
        by.get(&export_of(&ann), &[]).await.errors(403, "forbidden");
        erase(by, &ann, "ANN").await.errors(403, "forbidden");
    }
    let other = World::of_app(&server, &server.create_app("other").await).await;
    let stranger = other.admin().await;
    stranger.get(&export_of(&ann), &[]).await.errors(404, "contact_not_found");
    erase(&stranger, &ann, "ANN").await.errors(404, "contact_not_found");
    sent(server.bare(Method::GET, &export_of(&ann))).await.errors(401, "unauthorized");
    let path = format!("/api/v2/contacts/{}/erase", ann.key);
    let bare = with_json(server.bare(Method::POST, &path), &json!({"confirm": "ANN"}));
    sent(bare).await.errors(401, "unauthorized");
    for wrong in [json!({}), json!({"confirm": 7}), json!({"confirm": ""})] {
        admin.post(&path, wrong).await.errors(400, "invalid_request");
    }
    admin.get("/api/v2/contacts/x/export", &[]).await.errors(404, "contact_not_found");
    assert_eq!(office.room(&ann).await["user_id"], "ann");
}
