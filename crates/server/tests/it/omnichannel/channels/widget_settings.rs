//! Settings of the widget, their public part, and the origins that may embed it.

use reqwest::Method;
use serde_json::{Value, json};

use super::widget::nonce;
use crate::support::answer::{keys, text};
use crate::support::caller::{Caller, sent, with_json};
use crate::support::client::identity_token;
use crate::support::office::{Office, Worker};
use crate::support::test_server::TestServer;

const SHOP: &str = "https://shop.example.com";

async fn opened() -> (TestServer, Office, Worker) {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let admin = office.hire("ada", "admin").await;
    (server, office, admin)
}

async fn public(caller: &Caller) -> Value {
    sent(caller.bare(Method::GET, &format!("/api/v2/widget/{}", caller.code))).await.data()
}

async fn open_from(caller: &Caller, origin: Option<&str>, more: Value) -> u16 {
    let mut body = json!({
        "app_id": caller.code, "user_id": "vera", "name": "Vera", "nonce": nonce(caller).await,
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        body[key] = value.clone();
    }
    let mut request = with_json(caller.bare(Method::POST, "/api/v2/service/initiate_chat"), &body);
    if let Some(origin) = origin {
        request = request.header("origin", origin);
    }
    sent(request).await.status
}

#[tokio::test]
async fn public_widget_settings_have_only_the_listed_keys_and_follow_changes() {
    let (server, office, admin) = opened().await;
    let shown = public(&server).await;
    let expected = [
        "app",
        "brand",
        "fields",
        "is_anybody_there",
        "is_identity_required",
        "is_sessional",
        "languages",
        "texts",
        "theme",
        "upload",
        "version",
    ];
    assert_eq!(keys(&shown), expected);
    assert_eq!((&shown["brand"], &shown["app"]["code"]), (&json!("service"), &json!("shop")));
    let wanted = json!({
        "theme": {"colour": "#b00020", "position": "start", "scheme": "dark"},
        "texts": {"id": {"welcome": "Ada yang bisa dibantu?"}},
        "fields": [{"key": "name", "label": {"en": "Name"}, "type": "text", "is_required": true}],
    });
    let saved = admin.put("/api/v2/widget_settings", wanted.clone()).await.data()["widget"].take();
    for key in ["theme", "texts", "fields"] {
        assert_eq!(saved[key], wanted[key], "{key}");
        assert_eq!(public(&server).await[key], wanted[key], "{key}");
    }
    let read = admin.get("/api/v2/widget_settings", &[]).await.data()["widget"].take();
    assert_eq!(read, saved);
    let other = server.create_app("other").await;
    assert_eq!(public(&other).await["theme"]["colour"], "#0b6bcb", "another app has its own theme");
    office.create("budi", "agent").await;
    let unknown = sent(server.bare(Method::GET, "/api/v2/widget/nobody")).await;
    unknown.errors(404, "app_not_found");
}

#[tokio::test]
async fn unchanged_public_settings_are_answered_with_304() {
    let (server, _, admin) = opened().await;
    let first = sent(server.bare(Method::GET, "/api/v2/widget/shop")).await;
    let tag = first.header("etag").to_owned();
    let again = async || {
        let request = server.bare(Method::GET, "/api/v2/widget/shop");
        sent(request.header("if-none-match", &tag)).await
    };
    let known = again().await;
    assert_eq!((known.status, known.text.as_str(), known.header("etag")), (304, "", tag.as_str()));
    let theme = json!({"theme": {"colour": "#b00020"}});
    admin.put("/api/v2/widget_settings", theme).await.data();
    assert_eq!(again().await.status, 200);
}

#[tokio::test]
async fn is_anybody_there_is_true_only_while_an_agent_is_available() {
    let (server, office, admin) = opened().await;
    admin.post("/api/v1/agent/set_availability", json!({"is_available": false})).await.data();
    let is_there = async || public(&server).await["is_anybody_there"].as_bool();
    assert_eq!(is_there().await, Some(false));
    let ana = office.hire("ana", "agent").await;
    ana.post("/api/v1/agent/set_availability", json!({"is_available": true})).await.data();
    assert_eq!(is_there().await, Some(true));
    let path = format!("/api/v2/admin/agent/{}/set_force_offline", ana.id);
    admin.post(&path, json!({"force_offline": true})).await.data();
    assert_eq!(is_there().await, Some(false));
}

#[tokio::test]
async fn only_pages_of_allowed_origins_open_the_widget() {
    let (server, _, admin) = opened().await;
    assert_eq!(open_from(&server, Some("https://anybody.example"), json!({})).await, 200);
    let wanted = json!({"allowed_origins": [SHOP]});
    admin.put("/api/v2/widget_settings", wanted).await.data();
    assert_eq!(open_from(&server, Some(SHOP), json!({})).await, 200);
    assert_eq!(
        open_from(&server, Some(&server.base), json!({})).await,
        200,
        "pages of the server itself"
    );
    assert_eq!(open_from(&server, None, json!({})).await, 200, "a request without an origin");
    for other in ["https://anybody.example", "null", "https://shop.example.com:8443", ""] {
        assert_eq!(open_from(&server, Some(other), json!({})).await, 403, "{other}");
        let request = server.bare(Method::GET, "/api/v2/widget/shop").header("origin", other);
        sent(request).await.errors(403, "origin_not_allowed");
    }
}

#[tokio::test]
async fn a_chat_needs_an_identity_token_while_identity_is_required() {
    let (server, _, admin) = opened().await;
    let set = async |is_required: bool| {
        let wanted = json!({"is_identity_required": is_required});
        admin.put("/api/v2/widget_settings", wanted).await.data()
    };
    set(true).await;
    assert_eq!(public(&server).await["is_identity_required"], true);
    assert_eq!(open_from(&server, None, json!({})).await, 401);
    let mut rooms = Vec::new();
    for device in ["phone", "laptop"] {
        let nonce = nonce(&server).await;
        let token = identity_token(&server.secret, &nonce, "vera", "Vera");
        let body = json!({
            "app_id": "shop", "user_id": "vera", "name": "Vera", "nonce": nonce,
            "identity_token": token,
        });
        let opened = server.initiate_chat(&body).await.data();
        rooms.push(text(&opened["customer_room"]["room_id"]).to_owned());
        let user = server.verify_identity(text(&opened["identity_token"])).await.results();
        assert_eq!(user["user"]["email"], "vera", "{device}");
    }
    assert_eq!(rooms[0], rooms[1], "one conversation on both devices");
    set(false).await;
    assert_eq!(open_from(&server, None, json!({"user_id": "stranger"})).await, 200);
}

#[tokio::test]
async fn invalid_settings_are_refused_with_the_field_and_change_nothing() {
    let (server, _, admin) = opened().await;
    let before = public(&server).await;
    for (wrong, field) in [
        (json!({"theme": {"colour": "red"}}), "theme.colour"),
        (json!({"fields": [{"type": "text"}]}), "fields[0].key"),
        (json!({"allowed_origins": ["https://a.example/path"]}), "allowed_origins"),
    ] {
        let answer = admin.put("/api/v2/widget_settings", wrong).await;
        answer.errors(400, "invalid_request").says(field);
    }
    assert_eq!(public(&server).await, before);
}
