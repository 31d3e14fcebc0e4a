//! The overview of an app, and the export of its conversations.

use serde_json::{Value, json};

use crate::support::answer::{each, items, keys, text};
use crate::support::office::Office;
use crate::support::test_server::TestServer;
use crate::support::world::World;

#[tokio::test]
async fn app_details_show_keys_to_admins_and_webhook_urls_also_to_supervisors() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let hook = json!({"webhook_url": "https://hook.example/?key=1"});
    office.post("/api/v1/app/webhook/mark_as_resolved", hook).await.data();
    let path = "/api/v2/app/details";
    let own = office.get(path, &[]).await.data()["app"].take();
    assert_eq!(
        (&own["app_code"], &own["secret_key"]),
        (&json!("shop"), &json!("secret-key-of-shop"))
    );
    for (role, sees_key, sees_address) in
        [("admin", true, true), ("supervisor", false, true), ("agent", false, false)]
    {
        let answer = office.hire(role, role).await.get(path, &[]).await;
        assert_eq!(answer.text.contains("secret-key-of-shop"), sees_key, "{role}");
        assert_eq!(answer.text.contains("hook.example"), sees_address, "{role}");
        assert_eq!(answer.data()["app"]["app_code"], "shop");
    }
}

#[tokio::test]
async fn the_feature_list_shows_which_features_are_enabled() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let agent = office.hire("ana", "agent").await;
    let is_on = async |name: &str| {
        let listed = agent.get("/api/v2/features", &[]).await.data();
        let found = items(&listed["features"]).iter().find(|it| it["name"] == name).cloned();
        found.expect("the feature")["is_enabled"].take()
    };
    assert_eq!((is_on("bot").await, is_on("divisions").await), (json!(false), json!(true)));
    let bot = json!({"bot_webhook_url": "https://bot.example/"});
    office.post("/api/v1/app/bot/integrate", bot).await.data();
    assert_eq!(is_on("bot").await, true);
}

#[tokio::test]
async fn every_conversation_is_exported_once_and_in_order() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let other = World::of_app(&server, &server.create_app("other").await).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    other.waiting("theirs").await;
    let path = "/api/v1/export/conversations";
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let end = json!({"room_id": ann.room(), "notes": "all well"});
    admin.post("/api/v1/admin/service/mark_as_resolved", end).await.data();
    office.waiting("ben").await;
    office.says(&ann, "me again").await;
    let all = admin.get(path, &[]).await.json();
    let listed = &all["data"]["conversations"];
    assert_eq!(each(listed, "customer_id"), ["ann", "ben", "ann"]);
    let first = &listed[0];
    let expected = [
        "agent_id",
        "agent_name",
        "channel_id",
        "channel_name",
        "customer_id",
        "customer_name",
        "first_comment_id",
        "id",
        "is_resolved",
        "last_comment_id",
        "notes",
        "resolved_at",
        "room_id",
        "started_at",
        "taken_at",
    ];
    assert_eq!(keys(first), expected);
    assert_eq!((&first["agent_name"], &first["notes"]), (&json!("Bo"), &json!("all well")));
    assert_eq!((&first["is_resolved"], &first["channel_name"]), (&json!(true), &json!("Shop")));
    assert_eq!(
        (&listed[2]["resolved_at"], &listed[2]["room_id"]),
        (&Value::Null, &json!(ann.room()))
    );
    let mut paged = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = office.get(path, &[("limit", "1"), ("cursor_after", &cursor)]).await.json();
        paged.extend(items(&page["data"]["conversations"]).to_vec());
        if page["meta"]["after"].is_null() {
            break;
        }
        cursor = text(&page["meta"]["after"]).to_owned();
    }
    assert_eq!(&json!(paged), listed);
    let of_room = admin.get(path, &[("room_id", &ann.room())]).await.json();
    assert_eq!(of_room["data"]["conversations"], json!([listed[0], listed[2]]));
    let cursor = listed[0]["id"].to_string();
    let query = [("room_id", ann.room()), ("cursor_after", cursor)];
    let query = query.each_ref().map(|(key, value)| (*key, value.as_str()));
    let rest = admin.get(path, &query).await.json();
    assert_eq!(rest["data"]["conversations"], json!([listed[2]]));
    let foreign = other.get(path, &[("room_id", &ann.room())]).await.json();
    assert_eq!(foreign["data"]["conversations"], json!([]));
    admin.get(path, &[("room_id", "x")]).await.errors(400, "invalid_request").says("room_id");
    bo.get(path, &[]).await.errors(403, "forbidden");
    assert_eq!(
        each(&other.get(path, &[]).await.json()["data"]["conversations"], "customer_id"),
        ["theirs"]
    );
    admin.get(path, &[("cursor_after", "x")]).await.errors(400, "invalid_request");
}
