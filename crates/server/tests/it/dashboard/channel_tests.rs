//! Tests of a channel, and of the connection between a page and the server (design/channels).

use confab_test_servers::receiver::Receiver;
use futures_util::StreamExt;
use reqwest::Method;
use serde_json::{Value, json};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::support::answer::text;
use crate::support::caller::sent;
use crate::support::office::Office;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn admins_can_test_a_channel_in_both_directions() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let admin = office.hire("ada", "admin").await;
    let receiver = Receiver::replying(|_| 200).await;
    let make = async |body: Value| {
        let made = admin.post("/api/v2/custom_channels", body).await.data();
        format!("/api/v2/custom_channels/{}/test", made["custom_channel"]["id"])
    };
    let path = make(json!({"name": "SMS", "webhook_url": receiver.url})).await;
    let silent = make(json!({"name": "Mail"})).await;
    let test =
        async |path: &str, direction: &str| admin.post(path, json!({"direction": direction})).await;
    let came = test(&path, "in").await.data()["test"].take();
    assert_eq!((&came["direction"], &came["delivery_id"]), (&json!("in"), &Value::Null));
    let room = format!("/api/v2/customer_rooms/{}", text(&came["room_id"]));
    let room = admin.get(&room, &[]).await.data()["customer_room"].take();
    assert_eq!(room["channel_name"], "SMS");
    let again = test(&path, "in").await.data()["test"].take();
    assert_eq!(again["room_id"], came["room_id"], "all tests of a channel use one customer");
    let went = test(&path, "out").await.data()["test"].take();
    assert_eq!((&went["direction"], &went["room_id"]), (&json!("out"), &Value::Null));
    let received = receiver.next().await;
    assert_eq!(received.id.to_string(), text(&went["delivery_id"]));
    received.check_signature("secret-key-of-shop");
    assert!(!receiver.has_more(), "a test is delivered once");
    test(&silent, "out").await.errors(404, "endpoint_not_found");
    test(&path, "up").await.errors(400, "invalid_request").says("direction");
    admin.post(&path, json!({})).await.errors(400, "invalid_request").says("direction");
    for role in ["agent", "supervisor"] {
        let worker = office.hire(role, role).await;
        worker.post(&path, json!({"direction": "in"})).await.errors(403, "forbidden");
    }
    let stranger = Office::of(&server.create_app("other").await).hire("eve", "admin").await;
    let theirs = stranger.post(&path, json!({"direction": "in"})).await;
    theirs.errors(404, "channel_not_found");
    let channel = path.trim_end_matches("/test").to_owned();
    admin.put(&channel, json!({"is_active": false})).await.data();
    test(&path, "in").await.errors(403, "channel_off");
}

#[tokio::test]
async fn the_connection_check_shows_address_host_scheme_and_upgrade() {
    let server = TestServer::start_quiet().await;
    let bo = Office::of(&server).hire("bo", "agent").await;
    const PATH: &str = "/api/v2/live/check";
    let plain = bo.get(PATH, &[]).await.data();
    let host = server.base.trim_start_matches("http://");
    let expected = json!({
        "address": "127.0.0.1", "host": host, "is_upgrade_seen": false, "scheme": "http",
    });
    assert_eq!(plain, expected);
    sent(server.bare(Method::GET, PATH)).await.errors(401, "unauthorized");
    let url = format!("{}{PATH}", server.base.replace("http://", "ws://"));
    let mut request = url.into_client_request().expect("a request");
    request.headers_mut().insert("authorization", bo.token.parse().expect("a value"));
    let (mut socket, _) = connect_async(request).await.expect("connected");
    let frame = socket.next().await.expect("a frame").expect("read").into_text().expect("text");
    let frame: Value = serde_json::from_str(&frame).expect("JSON");
    assert_eq!(frame["data"]["is_upgrade_seen"], true);
    // Headers of an untrusted proxy are ignored.
    let forged = bo.request(Method::GET, PATH).header("x-forwarded-proto", "https");
    assert_eq!(sent(forged).await.data()["scheme"], "http");
}

#[tokio::test]
async fn the_connection_check_uses_headers_of_a_trusted_proxy() {
    let server = TestServer::start_with(&[("trusted_proxies", "127.0.0.0/8")]).await;
    let bo = Office::of(&server).hire("bo", "agent").await;
    let proxied = bo
        .request(Method::GET, "/api/v2/live/check")
        .header("x-forwarded-proto", "https")
        .header("x-forwarded-for", "203.0.113.7");
    let seen = sent(proxied).await.data();
    assert_eq!((&seen["scheme"], &seen["address"]), (&json!("https"), &json!("203.0.113.7")));
}
