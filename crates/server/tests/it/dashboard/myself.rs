//! Agents' own profiles (design/pages).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::Answer;
use crate::support::caller::{sent, with_json};
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::World;

async fn change(by: &Worker, body: Value) -> Answer {
    sent(with_json(by.request(Method::PATCH, "/api/v2/me"), &body)).await
}

async fn me(by: &Worker) -> Value {
    by.get("/api/v2/me", &[]).await.data()
}

#[tokio::test]
async fn agents_can_change_their_name_picture_language_and_preferences() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let before = me(&bo).await;
    assert_eq!(
        (&before["user"]["language"], &before["user"]["preferences"]),
        (&Value::Null, &json!({}))
    );
    let preferences = json!({"theme": "dark", "sizes": [1.5, {"x": "é"}]});
    let picture = "https://cdn.example.com/bo.png";
    let body = json!({
        "name": "Bo B", "avatar_url": picture, "language": "id", "preferences": preferences,
    });
    let changed = change(&bo, body).await.data();
    assert_eq!(changed["user"], me(&bo).await["user"]);
    let user = &changed["user"];
    assert_eq!((&user["name"], &user["avatar_url"]), (&json!("Bo B"), &json!(picture)));
    assert_eq!((&user["language"], &user["preferences"]), (&json!("id"), &preferences));
    change(&bo, json!({})).await.data();
    assert_eq!(me(&bo).await["user"], changed["user"], "absent fields are unchanged");
    let body = json!({"language": null, "avatar_url": null, "preferences": {"theme": "light"}});
    let user = change(&bo, body).await.data()["user"].take();
    assert_eq!((&user["language"], &user["avatar_url"]), (&Value::Null, &Value::Null));
    assert_eq!((&user["name"], &user["preferences"]), (&json!("Bo B"), &json!({"theme": "light"})));
    assert_eq!(
        me(&cy).await["user"]["preferences"],
        json!({}),
        "another agent's preferences are unchanged"
    );
    assert_eq!(office.shown(bo.id).await["name"], "Bo B");
}

#[tokio::test]
async fn invalid_profile_changes_and_changes_of_the_own_role_have_no_effect() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let bo = office.agent("Bo").await;
    let before = me(&bo).await["user"].take();
    for wrong in [
        json!({"name": ""}),
        json!({"name": 7}),
        json!({"name": "x".repeat(2000)}),
        json!({"avatar_url": "javascript:alert(1)"}),
        json!({"language": "xx"}),
        json!({"language": 7}),
        json!({"name": "New", "preferences": []}),
        json!({"name": "New", "preferences": "text"}),
        json!({"name": "New", "preferences": {"x": "y".repeat(8192)}}),
    ] {
        change(&bo, wrong).await.errors(400, "invalid_request");
    }
    change(&bo, json!({"role": "admin", "type": "admin", "email": "x@y.example"})).await.data();
    assert_eq!(me(&bo).await["user"], before);
    let bare = server.bare(Method::PATCH, "/api/v2/me");
    sent(with_json(bare, &json!({"name": "x"}))).await.errors(401, "unauthorized");
    let keyed = office.request(Method::PATCH, "/api/v2/me");
    sent(with_json(keyed, &json!({"name": "x"}))).await.errors(401, "unauthorized");
}

#[tokio::test]
async fn the_profile_includes_waiting_thresholds_time_zone_and_upload_limits() {
    let settings = [("upload_max_bytes", "1000"), ("upload_types", "png, .TXT")];
    let server = TestServer::start_with(&settings).await;
    let office = World::of(&server).await;
    let bo = office.agent("Bo").await;
    let shown = me(&bo).await;
    let app = &shown["app"];
    assert_eq!((&app["waiting_amber_s"], &app["waiting_red_s"]), (&json!(120), &json!(300)));
    assert_eq!((&app["time_zone"], &app["has_bot"]), (&json!("UTC"), &json!(false)));
    let server = &shown["server"];
    assert_eq!(
        (&server["upload_max_bytes"], &server["upload_types"]),
        (&json!(1000), &json!(["png", "txt"]))
    );
    office.set("timezone", "Asia/Jakarta").await;
    office.set("waiting_amber_seconds", "60").await;
    let app = me(&bo).await["app"].take();
    assert_eq!((&app["time_zone"], &app["waiting_amber_s"]), (&json!("Asia/Jakarta"), &json!(60)));
}
