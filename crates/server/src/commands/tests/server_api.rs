//! Calls to a server that answers as the contract says, and to some that do not.

use std::time::Duration;

use serde_json::json;
use tokio::sync::oneshot;

use super::small_server::{KEY, Reply, SmallServer, api_of, nobody};
use crate::commands::server_api::{CALL_LIMIT, CallError};

fn ok(data: &str) -> Reply {
    Reply::Answer(200, format!(r#"{{"data":{data},"status":200}}"#))
}

/// What is said of such an answer, and whether it may pass.
async fn said_of(status: u16, body: &str) -> (String, bool) {
    let server = SmallServer::start([Reply::Answer(status, body.to_owned())]).await;
    let error = server.api().get("/endpoints", &[], CALL_LIMIT).await.expect_err("a failure");
    assert!(!error.to_string().contains(KEY), "{error}");
    (error.to_string(), error.is_passing())
}

#[tokio::test]
async fn a_call_brings_its_credentials_and_gets_the_data_as_they_were_written() {
    let mut server = SmallServer::start([ok(r#"{"z":1.0, "a":[]}"#), ok("{}"), ok("{}")]).await;
    let query = [("from", "2026-11-15T10:00:00+01:00".to_owned()), ("kind", "bot".to_owned())];
    let data = server.api().get("/deliveries", &query, CALL_LIMIT).await.expect("data");
    assert_eq!(data.text(), r#"{"z":1.0, "a":[]}"#);
    let seen = server.seen().await;
    let path = "GET /api/v2/webhooks/deliveries?from=2026-11-15T10%3A00%3A00%2B01%3A00&kind=bot";
    assert_eq!(seen.line, path);
    assert_eq!(
        (&*seen.headers["service-app-id"], &*seen.headers["service-secret-key"]),
        ("shop", KEY)
    );

    let api = api_of(server.url("/below/this/"));
    api.put("/endpoints/bot", &json!({"url": "http://a/b"})).await.expect("data");
    let seen = server.seen().await;
    assert_eq!(seen.line, "PUT /below/this/api/v2/webhooks/endpoints/bot");
    assert_eq!(seen.headers["content-type"], "application/json");
    assert_eq!(seen.body, br#"{"url":"http://a/b"}"#);
    server.api().post("/trigger", &json!({}), CALL_LIMIT).await.expect("data");
    assert_eq!(server.seen().await.line, "POST /api/v2/webhooks/trigger");
}

#[tokio::test]
async fn a_server_that_does_not_run_is_told_how_to_start() {
    let api = api_of(nobody().await);
    let error = api.get("/endpoints", &[], CALL_LIMIT).await.expect_err("a failure");
    assert!(matches!(error, CallError::NoServer(_)) && error.is_passing());
    assert!(error.to_string().contains("start it with `confab serve`"), "{error}");
}

#[tokio::test]
async fn a_wrong_key_and_other_refusals_are_told_with_every_detail() {
    let body = r#"{"errors":{"message":"Unauthorized","code":"unauthorized",
        "detailed_messages":[]},"status":401}"#;
    let (said, is_passing) = said_of(401, body).await;
    assert!(said.contains("(Unauthorized); check --app") && !is_passing, "{said}");
    let body = r#"{"errors":{"message":"Bad \u001brequest","code":"x",
        "detailed_messages":["url is blocked","limit is too large"]},"status":400}"#;
    let (said, is_passing) = said_of(400, body).await;
    let expected = "the server refused: Bad \u{fffd}request: url is blocked; limit is too large \
                    (400 Bad Request)";
    assert_eq!((said.as_str(), is_passing), (expected, false));
    let body = r#"{"error":{"message":"Nothing here.","detailed_messages":["Nothing here."]}}"#;
    let (said, _) = said_of(404, body).await;
    assert_eq!(said, "the server refused: Nothing here. (404 Not Found)");
}

#[tokio::test]
async fn who_is_not_confab_is_noticed_and_a_proxy_without_its_server_may_pass() {
    for (status, body, may_pass) in [
        (200, "<html>hello</html>", false),
        (200, "{}", false),
        (404, "not here", false),
        (502, "bad gateway", true),
        (503, "", true),
        (429, "{}", true),
    ] {
        let (said, is_passing) = said_of(status, body).await;
        assert!(said.contains("not one of Confab's"), "{said}");
        assert_eq!(is_passing, may_pass, "{status}");
    }
}

#[tokio::test]
async fn a_long_poll_is_waited_for() {
    let (tell, told) = oneshot::channel();
    let body = r#"{"data":{"events":[],"next":7},"status":200}"#.to_owned();
    let mut server = SmallServer::start([Reply::AnswerWhen(told, 200, body)]).await;
    let api = server.api();
    let polled = async { api.get("/listen", &[], Duration::from_secs(30)).await.expect("data") };
    let telling = async {
        server.seen().await;
        tell.send(()).expect("it waits");
    };
    let (data, ()) = tokio::join!(polled, telling);
    assert_eq!(data.text(), r#"{"events":[],"next":7}"#);
}
