//! The widget: nonce, room and identity token.

use confab_domain::support::settings::Settings;
use confab_test_servers::receiver::Receiver;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{keys, text};
use crate::support::caller::{Caller, sent, with_form, with_json};
use crate::support::client::identity_token;
use crate::support::hooks::Hooks;
use crate::support::shop::Shop;
use crate::support::test_server::TestServer;
use crate::support::world::World;

pub async fn nonce(caller: &Caller) -> String {
    let request = caller.bare(Method::POST, "/api/v2/sdk/auth/nonce");
    let results = sent(request.header("service_sdk_app_id", &caller.code)).await.results();
    assert_eq!(keys(&results), ["expired_at", "nonce"]);
    text(&results["nonce"]).to_owned()
}

async fn chat(user: &str, nonce: &str) -> Value {
    json!({"app_id": "shop", "user_id": user, "name": "Vera", "nonce": nonce})
}

#[tokio::test]
async fn a_visitor_becomes_a_customer_who_can_post() {
    let shop = Shop::open().await;
    let mut body = chat("vera", &nonce(&shop.server).await).await;
    body["user_properties"] = json!([{"key": "city", "value": "Bandung"}]);
    body["extras"] = json!("{\"timezone_offset\":7}");
    let data = shop.server.initiate_chat(&body).await.data();
    let expected = [
        "customer_room",
        "identity_token",
        "is_secure",
        "is_sessional",
        "sdk_user",
        "visitor_secret",
    ];
    assert_eq!(keys(&data), expected);
    let room = &data["customer_room"];
    assert_eq!((&room["source"], &room["user_id"]), (&json!("service"), &json!("vera")));
    assert_eq!(room["extras"]["timezone_offset"], 7);
    assert_eq!(room["extras"]["user_properties"], json!([{"key": "city", "value": "Bandung"}]));
    let room = text(&room["room_id"]).to_owned();
    let user =
        shop.server.verify_identity(text(&data["identity_token"])).await.results()["user"].take();
    assert_eq!((&user["email"], &user["username"]), (&json!("vera"), &json!("Vera")));
    assert_eq!(text(&user["token"]), shop.customer_token("vera").await);
    assert_eq!(shop.kinds().await, Vec::<String>::new(), "no message was posted yet");
    shop.server.post_comment("vera", &room, "hello").await;
    let session = shop.hooks.next_by_path(3).await.pop().expect("three").json();
    assert_eq!(session["room_log"]["extras"]["user_properties"][0]["value"], "Bandung");
    shop.bot_says(&room, "hello Vera").await.data();
    assert!(!shop.gateway.has_more());
}

#[tokio::test]
async fn a_returning_visitor_gets_their_previous_room() {
    let shop = Shop::without_webhooks().await;
    let first =
        shop.server.initiate_chat(&chat("vera", &nonce(&shop.server).await).await).await.data();
    let mut body = chat("vera", &nonce(&shop.server).await).await;
    body["user_properties"] = json!({"plan": "gold"});
    body["channel_id"] = first["customer_room"]["channel_id"].clone();
    let again = shop.server.initiate_chat(&body).await.data();
    assert_eq!(first["customer_room"]["room_id"], again["customer_room"]["room_id"]);
    let properties = &again["customer_room"]["extras"]["user_properties"];
    assert_eq!(properties, &json!([{"key": "plan", "value": "gold"}]));
    let form = [("app_id", "shop"), ("user_id", "vera"), ("name", "Vera"), ("nonce", "x")];
    let request = with_form(shop.server.bare(Method::POST, "/api/v2/service/initiate_chat"), &form);
    sent(request).await.errors(400, "nonce_not_good");
}

#[tokio::test]
async fn the_source_of_a_widget_room_is_the_brand_of_the_latest_visit() {
    let server = TestServer::start_with(&[("brands", "SERVICE, acme")]).await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let visit = async |brand: &str| {
        let body = chat("vera", &nonce(&server).await).await;
        let path = format!("/api/v2/{brand}/initiate_chat");
        sent(with_json(server.bare(Method::POST, &path), &body)).await.data()["customer_room"]
            .take()
    };
    let mut room = Value::Null;
    for brand in ["acme", "service", "acme"] {
        room = visit(brand).await;
        assert_eq!(room["source"], brand);
        let path = format!("/api/v2/customer_rooms/{}", text(&room["room_id"]));
        let shown = office.get(&path, &[]).await.data()["customer_room"].take();
        assert_eq!(shown["source"], brand);
        let info = format!("/api/v1/service/room/{}/user_info", text(&room["room_id"]));
        assert_eq!(office.get(&info, &[]).await.data()["channel"]["source"], brand);
        let asked = [("room_ids[]", text(&room["room_id"]))];
        let found = server.get("get_rooms_info", &asked).await.results();
        let options = text(&found["rooms"][0]["room_options"]).to_owned();
        let options: Value = serde_json::from_str(&options).expect("JSON");
        assert_eq!(options["source"], brand);
    }
    let channels = admin.get("/api/v2/channels", &[]).await.data();
    for key in ["service_channels", "acme_channels"] {
        assert_eq!(channels[key][0]["id"], room["channel_id"], "{key}");
    }
}

#[tokio::test]
async fn webhooks_contain_the_brand_of_the_widget() {
    let server = TestServer::start_with(&[("brands", "SERVICE, acme")]).await;
    let receiver = Receiver::start().await;
    let hooks = Hooks::of(&server);
    hooks.put("/endpoints/new_session", json!({"url": receiver.url})).await.data();
    let body = chat("vera", &nonce(&server).await).await;
    let request = server.bare(Method::POST, "/api/v2/acme/initiate_chat");
    let mut data = sent(with_json(request, &body)).await.data();
    let room = data["customer_room"]["room_id"].take();
    server.post_comment("vera", text(&room), "hello").await;
    let webhook = receiver.next().await.json();
    assert_eq!(
        (&webhook["channel"]["source"], &webhook["room_log"]["source"]),
        (&json!("acme"), &json!("acme"))
    );
}

#[tokio::test]
async fn the_older_path_opens_the_same_room_with_a_shorter_response() {
    let shop = Shop::without_webhooks().await;
    let path = "/api/v1/service/initiate_chat";
    let open = async |nonce: &str| {
        let form = [("app_id", "shop"), ("user_id", "vera"), ("name", "Vera"), ("nonce", nonce)];
        sent(with_form(shop.server.bare(Method::POST, path), &form)).await
    };
    let used = nonce(&shop.server).await;
    let first = open(&used).await.data();
    assert_eq!(keys(&first), ["identity_token", "is_sessional", "room_id", "visitor_secret"]);
    assert_eq!(first["is_sessional"], false);
    open(&used).await.errors(400, "nonce_not_good");
    let body = chat("vera", &nonce(&shop.server).await).await;
    let again = sent(with_json(shop.server.bare(Method::POST, path), &body)).await.data();
    assert_eq!(keys(&again), ["identity_token", "is_sessional", "room_id"]);
    assert_eq!(again["room_id"], first["room_id"]);
    let newer = chat("vera", &nonce(&shop.server).await).await;
    let newer = shop.server.initiate_chat(&newer).await.data();
    assert_eq!(newer["customer_room"]["room_id"], first["room_id"], "both paths use one room");
    shop.server.verify_identity(text(&again["identity_token"])).await.results();
    let missing = sent(with_json(shop.server.bare(Method::POST, path), &json!({}))).await;
    missing.errors(400, "invalid_request").says("nonce is required");
    let unknown = json!({"app_id": "nobody", "user_id": "v", "name": "V", "nonce": "n"});
    let unknown = sent(with_json(shop.server.bare(Method::POST, path), &unknown)).await;
    unknown.errors(404, "app_not_found");
    shop.set(Settings::VISITOR_PROOF, "secret").await;
    open(&nonce(&shop.server).await).await.errors(401, "visitor_not_proven");
}

#[tokio::test]
async fn a_phone_number_with_and_without_a_plus_is_one_customer() {
    let shop = Shop::without_webhooks().await;
    let room = shop.room_of("6281234").await;
    assert_eq!(shop.room_of("+6281234").await, room);
    let data = shop.write("+6281234", "again").await.data();
    assert_eq!(data["room_log"]["user_id"], "6281234");
    for user in ["+6285678", "6285678"] {
        let body = chat(user, &nonce(&shop.server).await).await;
        let data = shop.server.initiate_chat(&body).await.data();
        assert_eq!(data["customer_room"]["user_id"], "6285678");
    }
    for user in ["+", "+ana", "62+81"] {
        shop.write(user, "x").await.errors(400, "invalid_request").says("user_id");
        let body = chat(user, &nonce(&shop.server).await).await;
        shop.server.initiate_chat(&body).await.errors(400, "invalid_request").says("user_id");
    }
    let elsewhere = json!({"user_id": "+6281234", "username": "x"});
    shop.server.post("login_or_register", elsewhere).await.refused(400, "invalid_request");
    for user in ["+6285678", "6285678"] {
        let used = nonce(&shop.server).await;
        let mut body = chat("+6285678", &used).await;
        let token = identity_token(&shop.server.secret, &used, user, "Vera");
        body["identity_token"] = json!(token);
        shop.server.initiate_chat(&body).await.data();
    }
}

#[tokio::test]
async fn a_nonce_is_valid_once_and_only_for_its_own_app() {
    let shop = Shop::without_webhooks().await;
    let other = shop.server.create_app("other").await;
    let used = nonce(&shop.server).await;
    shop.server.initiate_chat(&chat("vera", &used).await).await.data();
    shop.server.initiate_chat(&chat("vera", &used).await).await.errors(400, "nonce_not_good");
    let theirs = nonce(&other).await;
    for wrong in ["guess", &theirs] {
        shop.server.initiate_chat(&chat("wim", wrong).await).await.errors(400, "nonce_not_good");
    }
    assert!(!shop.knows("wim").await);
    let request = shop.server.bare(Method::POST, "/api/v2/sdk/auth/nonce");
    sent(request.header("SERVICE-SDK-APP-ID", "nobody")).await.refused(401, "unauthorized");
}

#[tokio::test]
async fn twenty_concurrent_uses_of_one_nonce_open_one_chat() {
    let shop = Shop::without_webhooks().await;
    let nonce = nonce(&shop.server).await;
    let mut running = tokio::task::JoinSet::new();
    for number in 0..20 {
        let body = chat(&format!("visitor-{number}"), &nonce).await;
        let request = shop.server.bare(Method::POST, "/api/v2/service/initiate_chat");
        running.spawn(sent(with_json(request, &body)));
    }
    let statuses: Vec<_> = running.join_all().await.iter().map(|it| it.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 400).count(), 19, "{statuses:?}");
}

#[tokio::test]
async fn an_identity_token_is_valid_once_and_a_forged_one_is_refused() {
    let shop = Shop::without_webhooks().await;
    let other = shop.server.create_app("other").await;
    let data =
        shop.server.initiate_chat(&chat("vera", &nonce(&shop.server).await).await).await.data();
    let token = text(&data["identity_token"]);
    other.verify_identity(token).await.refused(401, "unauthorized");
    let (start, _) = token.rsplit_once('.').expect("three parts");
    for forged in ["", "x", "a.b.c", start, &format!("{start}."), &format!("{token}x")] {
        let answer = shop.server.verify_identity(forged).await;
        assert!([400, 401].contains(&answer.status), "{forged}: {}", answer.text);
    }
    shop.server.verify_identity(token).await.results();
    shop.server.verify_identity(token).await.refused(400, "nonce_not_good");
}

#[tokio::test]
async fn a_visitor_cannot_take_over_an_existing_user() {
    let shop = Shop::without_webhooks().await;
    shop.server.register("boss").await;
    shop.room_of("ana").await;
    let admin = shop.admin().await.user_id();
    for user in [admin.as_str(), "shop_1@dashboard", "system@shop"] {
        let body = chat(user, &nonce(&shop.server).await).await;
        shop.server.initiate_chat(&body).await.errors(403, "system_user");
    }
    for user in ["boss", "ana"] {
        let body = chat(user, &nonce(&shop.server).await).await;
        let data = shop.server.initiate_chat(&body).await.data();
        let user = shop.server.verify_identity(text(&data["identity_token"])).await.results();
        assert_eq!(user["user"]["username"], "Vera", "another user with the same id");
    }
}

#[tokio::test]
async fn an_invalid_widget_request_is_refused_with_the_field() {
    let shop = Shop::without_webhooks().await;
    let refused = shop.server.initiate_chat(&json!({})).await.errors(400, "invalid_request");
    ["app_id", "user_id", "name", "nonce"].iter().for_each(|field| refused.says(field));
    let mut body = chat("vera", &nonce(&shop.server).await).await;
    body["channel_id"] = json!(shop.channel.0);
    shop.server.initiate_chat(&body).await.errors(404, "channel_not_found");
    body["channel_id"] = json!("x");
    shop.server.initiate_chat(&body).await.errors(400, "invalid_request").says("channel_id");
    body["channel_id"] = Value::Null;
    body["app_id"] = json!("nobody");
    shop.server.initiate_chat(&body).await.errors(404, "app_not_found");
    body["app_id"] = json!("shop");
    shop.server.initiate_chat(&body).await.data();
    let map = shop.call(Method::GET, "/api/v2/channels", json!({})).await.data();
    let widget = format!("/api/v2/custom_channels/{}", map["service_channels"][0]["id"]);
    shop.call(Method::PUT, &widget, json!({"is_active": false})).await.data();
    let body = chat("vera", &nonce(&shop.server).await).await;
    shop.server.initiate_chat(&body).await.errors(403, "channel_off");
}

#[tokio::test]
async fn a_page_can_read_whether_the_app_is_sessional() {
    let shop = Shop::without_webhooks().await;
    let asked = async |path: &str| sent(shop.server.bare(Method::GET, path)).await;
    assert_eq!(asked("/shop/get_session").await.data(), json!({"is_sessional": false}));
    shop.set(Settings::IS_SESSIONAL, "true").await;
    assert_eq!(asked("/shop/get_session").await.data(), json!({"is_sessional": true}));
    asked("/nobody/get_session").await.errors(404, "app_not_found");
}

#[tokio::test]
async fn the_widget_path_accepts_every_configured_brand() {
    let settings = [("brands", "SERVICE,ACME")];
    let server = crate::support::test_server::TestServer::start_with(&settings).await;
    for path in ["/api/v2/service/initiate_chat", "/api/v2/acme/initiate_chat"] {
        let body =
            json!({"app_id": "shop", "user_id": "v", "name": "V", "nonce": nonce(&server).await});
        sent(with_json(server.bare(Method::POST, path), &body)).await.data();
    }
    let request = server.bare(Method::POST, "/api/v2/other/initiate_chat");
    sent(request).await.errors(404, "route_not_found");
}

#[tokio::test]
async fn an_expired_nonce_is_refused_and_creates_no_customer() {
    let shop = Shop::without_webhooks().await;
    let now = shop.app.created_at;
    for (old, until) in [("long-gone", 1), ("just-now", now.0)] {
        shop.add_nonce(old, confab_domain::time::Timestamp(until)).await;
        shop.server.initiate_chat(&chat("vera", old).await).await.errors(400, "nonce_not_good");
    }
    assert!(!shop.knows("vera").await);
    shop.add_nonce("good", now.days_later(1)).await;
    shop.server.initiate_chat(&chat("vera", "good").await).await.data();
}

#[tokio::test]
async fn the_properties_of_a_visitor_are_limited_over_all_visits() {
    let shop = Shop::without_webhooks().await;
    let visit = async |letter: &str, count: usize| {
        let mut body = chat("vera", &nonce(&shop.server).await).await;
        let pairs = (0..count).map(|at| json!({"key": format!("{letter}{at}"), "value": "x"}));
        body["user_properties"] = pairs.collect();
        text(&shop.server.initiate_chat(&body).await.data()["customer_room"]["room_id"]).to_owned()
    };
    visit("a", 60).await;
    visit("b", 60).await;
    let room = visit("a", 60).await;
    let path = format!("/api/v1/service/room/{room}/user_info");
    let info = shop.call(Method::GET, &path, json!({})).await.data();
    let stored = info["extras"]["user_properties"].as_array().expect("a list").len();
    assert_eq!(stored, confab_domain::limits::INFOS_MAX);
}
