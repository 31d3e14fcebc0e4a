//! Canned replies: all agents use shared ones, and only the owner uses personal ones
//! (design/support).

use confab_domain::agents::role::Role;
use serde_json::{Value, json};

use crate::support::answer::{each, items, keys};
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::World;

const REPLIES: &str = "/api/v2/canned_replies";
const TEMPLATES: &str = "/api/v1/chat_templates";

async fn make(by: &Worker, shortcut: &str, is_shared: bool) -> Value {
    let body =
        json!({"shortcut": shortcut, "text": format!("{shortcut}!"), "is_shared": is_shared});
    by.post(REPLIES, body).await.data()["canned_reply"].take()
}

async fn seen(by: &Worker) -> Vec<String> {
    let listed = by.get(REPLIES, &[]).await.data();
    let shortcuts = each(&listed["canned_replies"], "shortcut");
    shortcuts.into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn personal_replies_are_visible_to_their_owner_and_shared_ones_to_all_staff() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let other = World::of_app(&server, &server.create_app("other").await).await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let sue = office.worker("Sue", Role::Supervisor, &[]).await;
    make(&admin, "thanks", true).await;
    make(&sue, "bye", true).await;
    let own = make(&bo, "hello", false).await;
    let expected = [
        "command",
        "created_at",
        "id",
        "is_shared",
        "language",
        "message",
        "shortcut",
        "text",
        "updated_at",
    ];
    assert_eq!(keys(&own), expected);
    assert_eq!((&own["is_shared"], &own["text"]), (&json!(false), &json!("hello!")));
    assert_eq!(seen(&bo).await, ["bye", "hello", "thanks"]);
    assert_eq!(seen(&cy).await, ["bye", "thanks"]);
    assert_eq!(seen(&admin).await, ["bye", "thanks"], "admins do not see personal replies");
    let app = office.get(REPLIES, &[]).await.data();
    assert_eq!(each(&app["canned_replies"], "shortcut"), ["bye", "thanks"]);
    assert_eq!(other.get(REPLIES, &[]).await.data()["canned_replies"], json!([]));
    let path = format!("{REPLIES}/{}", own["id"]);
    for stranger in [&cy, &admin, &other.admin().await] {
        stranger.put(&path, json!({"text": "x"})).await.errors(404, "canned_reply_not_found");
        stranger.delete(&path).await.errors(404, "canned_reply_not_found");
    }
    assert_eq!(seen(&bo).await, ["bye", "hello", "thanks"]);
}

#[tokio::test]
async fn shared_replies_are_managed_by_admins_and_the_app_but_not_by_agents() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let body = json!({"shortcut": "hi", "text": "Hello", "is_shared": true});
    bo.post(REPLIES, body.clone()).await.errors(403, "forbidden");
    let shared = office.post(REPLIES, json!({"shortcut": "hi", "text": "Hello"})).await.data();
    assert_eq!(shared["canned_reply"]["is_shared"], true, "the app has no personal replies");
    let own = json!({"shortcut": "x", "text": "x", "is_shared": false});
    office.post(REPLIES, own).await.errors(400, "invalid_request").says("is_shared");
    let path = format!("{REPLIES}/{}", shared["canned_reply"]["id"]);
    bo.put(&path, json!({"text": "x"})).await.errors(403, "forbidden");
    bo.delete(&path).await.errors(403, "forbidden");
    let changed = admin.put(&path, json!({"language": "id", "text": "Halo"})).await.data();
    let changed = &changed["canned_reply"];
    assert_eq!((&changed["shortcut"], &changed["text"]), (&json!("hi"), &json!("Halo")));
    assert_eq!((&changed["language"], &changed["is_shared"]), (&json!("id"), &json!(true)));
    let taken = json!({"shortcut": "HI", "text": "x"});
    bo.post(REPLIES, taken).await.errors(400, "invalid_request").says("shortcut");
    let mine = make(&bo, "mine", false).await;
    let promoted = bo.put(&format!("{REPLIES}/{}", mine["id"]), json!({"is_shared": true})).await;
    promoted.errors(403, "forbidden");
    admin.delete(&path).await.data();
    admin.delete(&path).await.errors(404, "canned_reply_not_found");
    assert_eq!(seen(&bo).await, ["mine"]);
    let wrong = bo.post(REPLIES, json!({"shortcut": " ", "is_shared": "maybe"})).await;
    assert_eq!(wrong.errors(400, "invalid_request").details.len(), 3);
    bo.delete(&format!("{REPLIES}/x")).await.errors(404, "canned_reply_not_found");
}

#[tokio::test]
async fn agent_apps_search_replies_by_a_part_of_shortcut_or_text() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    for shortcut in ["thanks", "hello", "bye"] {
        make(&admin, shortcut, true).await;
    }
    let page = bo.get(TEMPLATES, &[("q", ""), ("limit", "100")]).await.data();
    assert_eq!(keys(&page), ["current_page", "data", "last_page", "per_page", "total"]);
    assert_eq!(each(&page["data"], "command"), ["bye", "hello", "thanks"]);
    let found = bo.get(TEMPLATES, &[("q", "THAN"), ("limit", "100")]).await.data();
    assert_eq!(each(&found["data"], "message"), ["thanks!"]);
    let typed = bo.get(TEMPLATES, &[("q", "/than "), ("limit", "100")]).await.data();
    assert_eq!(each(&typed["data"], "message"), ["thanks!"], "with the slash that agents type");
    let second = bo.get(TEMPLATES, &[("limit", "2"), ("page", "2")]).await.data();
    assert_eq!((items(&second["data"]).len(), &second["total"]), (1, &json!(3)));
    let none = bo.get(TEMPLATES, &[("q", "nothing")]).await.data();
    assert_eq!(none["data"], json!([]));
}
