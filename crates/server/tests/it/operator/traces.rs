//! Traces, decoded by a collector (D-0167): which spans arrive, which data never do, and that
//! requests never wait for a collector.

use confab_test_servers::receiver::{ReceivedRequest, Receiver, Reply};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::text;
use crate::support::caller::{Caller, sent, with_json};
use crate::support::hooks::Hooks;
use crate::support::process::Folder;
use crate::support::stand_ins::collector::{Collector, ReadSpan};
use crate::support::test_server::TestServer;
use crate::support::waiting::until_so;

const POST: &str = "POST /api/v2.1/rest/post_comment";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

async fn traced(collector: &Collector) -> TestServer {
    let server = TestServer::start_with(&[("otlp_url", collector.otlp_url())]).await;
    server.furnish().await;
    server
}

/// Posts a message as part of a trace.
async fn post_within(app: &Caller, traceparent: &str) {
    let body = json!({"user_id": "ana", "room_id": "support", "message": "hello"});
    let request = app.request(Method::POST, "post_comment").header("traceparent", traceparent);
    sent(with_json(request, &body)).await.results();
}

fn shown(span: &ReadSpan, keys: &[&str]) -> Vec<Value> {
    keys.iter().map(|key| span.attributes.get(*key).cloned().unwrap_or_default()).collect()
}

#[tokio::test]
async fn a_request_is_a_span_and_its_decision_a_child_span() {
    let collector = Collector::start().await;
    let server = traced(&collector).await;
    server.post_comment("ana", "support", "hello").await;
    let request = collector.span(POST).await;
    assert_eq!((request.kind, request.is_failed, request.parent.as_str()), (2, false, ""));
    let keys: Vec<_> = request.attributes.keys().map(String::as_str).collect();
    let expected = [
        "confab.app.id",
        "confab.request.id",
        "http.request.method",
        "http.response.status_code",
        "http.route",
        "server.address",
        "server.port",
    ];
    assert_eq!(keys, expected);
    let of_request = shown(&request, &["confab.app.id", "http.request.method", "http.route"]);
    assert_eq!(json!(of_request), json!(["shop", "POST", "/api/v2.1/rest/post_comment"]));
    let of_answer = shown(&request, &["http.response.status_code", "server.address"]);
    assert_eq!(json!(of_answer), json!([200, "127.0.0.1"]));
    assert_eq!(request.resource["service.name"], "confab");
    assert_eq!(request.resource["service.version"], env!("CARGO_PKG_VERSION"));
    assert!(request.resource.contains_key("service.instance.id"));
    let decision = collector.span("decide PostMessage").await;
    assert_eq!((&decision.trace, &decision.parent), (&request.trace, &request.id));
    assert_eq!(decision.attributes["confab.decision"], "committed");
    assert!(request.nanos.0 <= decision.nanos.0 && decision.nanos.0 <= decision.nanos.1);
}

#[tokio::test]
async fn a_refused_request_is_not_a_failed_span_and_unknown_paths_are_not_recorded() {
    let collector = Collector::start().await;
    let server = traced(&collector).await;
    sent(server.bare(Method::GET, "/ready")).await;
    sent(server.bare(Method::GET, "/nowhere/not-to-be-seen")).await;
    let body = json!({"user_id": "nobody", "room_id": "support", "message": "hello"});
    assert_eq!(server.post("post_comment", body).await.status, 404);
    let nowhere = collector.span("GET").await;
    let keys = ["http.route", "http.response.status_code", "confab.app.id"];
    assert_eq!(json!(shown(&nowhere, &keys)), json!([null, 404, null]));
    let refused = collector.span(POST).await;
    assert_eq!((shown(&refused, &keys[1..2]), refused.is_failed), (vec![json!(404)], false));
    let decision = collector.span("decide PostMessage").await;
    assert_eq!(decision.attributes["confab.decision"], "refused");
    let names: Vec<_> = collector.spans().into_iter().map(|span| span.name).collect();
    assert!(!names.iter().any(|name| name.contains("/ready")), "{names:?}");
}

#[tokio::test]
async fn a_request_continues_its_callers_trace_and_sampling_decision() {
    let collector = Collector::start().await;
    let server = traced(&collector).await;
    let unrecorded = TRACE.replace('4', "5");
    post_within(&server, &format!("00-{unrecorded}-{SPAN}-00")).await;
    post_within(&server, &format!("00-{TRACE}-{SPAN}-01")).await;
    let request = collector.span(POST).await;
    assert_eq!((request.trace.as_str(), request.parent.as_str()), (TRACE, SPAN));
    assert_eq!(collector.span("decide PostMessage").await.trace, TRACE);
    let traces: Vec<_> = collector.spans().into_iter().map(|span| span.trace).collect();
    assert!(!traces.contains(&unrecorded), "{traces:?}");
}

#[tokio::test]
async fn with_sampling_at_zero_traces_of_callers_are_still_recorded() {
    let collector = Collector::start().await;
    let settings = [("otlp_url", collector.otlp_url()), ("otlp_sample_percent", "0")];
    let server = TestServer::start_with(&settings).await;
    server.furnish().await;
    server.post_comment("ana", "support", "hello").await;
    post_within(&server, &format!("00-{TRACE}-{SPAN}-01")).await;
    assert_eq!(collector.span(POST).await.trace, TRACE);
    assert!(collector.spans().iter().all(|span| span.trace == TRACE));
}

#[tokio::test]
async fn a_webhook_attempt_is_a_span_in_the_trace_of_its_request() {
    let (collector, receiver) = (Collector::start().await, Receiver::start().await);
    let server = traced(&collector).await;
    let hooks = Hooks::of(&server);
    let body = json!({"url": receiver.url});
    let endpoint = hooks.put("/endpoints/bot", body).await.data()["endpoint"].take();
    let id = hooks.trigger("bot").await;
    let attempt = collector.span("deliver bot").await;
    assert_eq!((attempt.kind, attempt.is_failed), (3, false));
    let keys = ["confab.delivery.id", "confab.delivery.attempt", "confab.endpoint.id"];
    let endpoint_id: i64 = text(&endpoint["id"]).parse().expect("an integer");
    assert_eq!(json!(shown(&attempt, &keys)), json!([id, 1, endpoint_id]));
    let keys = ["server.address", "server.port", "http.response.status_code", "confab.app.id"];
    let port = receiver.address.port();
    assert_eq!(json!(shown(&attempt, &keys)), json!(["127.0.0.1", port, 200, "shop"]));
    let decision = collector.parent_of(&attempt).await;
    assert_eq!(decision.name, "decide TriggerExample");
    let request = collector.parent_of(&decision).await;
    assert!(request.attributes["http.route"].as_str().is_some_and(|it| it.ends_with("/trigger")));
    let received = receiver.sees(id, 1).await;
    let traceparent = format!("00-{}-{}-01", attempt.trace, attempt.id);
    assert_eq!(received.header("traceparent"), traceparent, "the receiver gets the trace context");
    received.check_signature("secret-key-of-shop");
}

#[tokio::test]
async fn a_failed_webhook_attempt_is_a_failed_span() {
    let down = |_: &_| Reply::status(503).header("retry-after", "3600");
    let (collector, receiver) = (Collector::start().await, Receiver::replying(down).await);
    let server = traced(&collector).await;
    let hooks = Hooks::of(&server);
    hooks.put("/endpoints/bot", json!({"url": receiver.url})).await.data();
    hooks.trigger("bot").await;
    let attempt = collector.span("deliver bot").await;
    assert!(attempt.is_failed);
    let keys = ["http.response.status_code", "error.type"];
    assert_eq!(json!(shown(&attempt, &keys)), json!([503, "status_5xx"]));
}

#[tokio::test]
async fn traces_contain_no_secrets_and_no_personal_data() {
    let (collector, receiver) = (Collector::start().await, Receiver::start().await);
    let settings = [("otlp_url", collector.otlp_url()), ("otlp_headers", "x-key=a%20key,x-org=1")];
    let server = TestServer::start_with(&settings).await;
    server.register("ana@people.example").await;
    server.create_room("a-secret-room", &["ana@people.example"]).await;
    server.post_comment("ana@people.example", "a-secret-room", "a-text-of-ana").await;
    server.load_comments("a-secret-room").await;
    let hooks = Hooks::of(&server);
    let url = format!("{}/hook/token-in-a-path?token=in-a-query", receiver.base);
    hooks.put("/endpoints/bot", json!({"url": url})).await.data();
    hooks.trigger("bot").await;
    collector.span("deliver bot").await;
    let posted = collector.receiver.next().await;
    assert_eq!(posted.path(), "/v1/traces");
    assert_eq!(posted.header("content-type"), "application/x-protobuf");
    assert_eq!((posted.header("x-key"), posted.header("x-org")), ("a key", "1"));
    assert!(collector.has_seen("post_comment"), "spans contain the call's name");
    for secret in [
        "people.example",
        "a-secret-room",
        "a-text-of-ana",
        "token-in-a-path",
        "in-a-query",
        "sdk-secret-of-shop",
        "secret-key-of-shop",
        "a key",
    ] {
        assert!(!collector.has_seen(secret), "{secret}");
    }
}

#[tokio::test]
async fn an_unreachable_or_hanging_collector_affects_no_request() {
    let hanging = Receiver::replying(|_| Reply::never()).await;
    for url in ["http://127.0.0.1:1", &hanging.base] {
        let server = TestServer::start_with(&[("otlp_url", url)]).await;
        server.furnish().await;
        for number in 0..20 {
            server.post_comment("ana", "support", &number.to_string()).await;
        }
        assert_eq!(server.load_comments("support").await.len(), 20);
        assert_eq!(server.ready().await.status, 200);
    }
}

#[tokio::test]
async fn spans_refused_with_503_are_sent_again_unchanged() {
    let collector = Collector::start().await;
    collector.receiver.answers(503);
    let _server = traced(&collector).await;
    collector.receiver.sees_in_all(1).await;
    collector.receiver.answers(200);
    let is_taken = |it: &&ReceivedRequest| it.is_taken();
    let what = "the spans are accepted";
    let taken = collector.receiver.until(what, |seen| seen.iter().find(is_taken).cloned()).await;
    assert_eq!(taken.body(), collector.receiver.seen()[0].body());
}

#[tokio::test(flavor = "multi_thread")]
async fn spans_refused_by_the_collector_are_counted_and_logged_once() {
    let refusing = Receiver::replying(|_| Reply::status(401)).await;
    let folder = Folder::with_app().await;
    let server = folder.serve_with(&["--otlp-url", &refusing.base], &[]);
    let app = server.shop();
    for post in 1..=2 {
        app.register("ana").await;
        refusing.sees_in_all(post).await;
    }
    until_so("dropped spans are counted", async || {
        let metrics = app.metrics().await;
        let lost = r#"confab_trace_spans_dropped_total{reason="collector"} "#;
        let lost = metrics.lines().find_map(|line| line.strip_prefix(lost)?.parse().ok());
        lost.is_some_and(|lost: u64| lost >= 4)
    })
    .await;
    let said = server.log.wait_for("failed to send traces to the collector");
    assert!(said.contains("401 Unauthorized"), "{said}");
    assert_eq!(
        server.log.text().matches("failed to send traces to the collector").count(),
        1,
        "the failure is logged once a minute"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn shutdown_sends_the_last_spans_and_does_not_wait_for_a_hanging_collector() {
    let collector = Collector::start().await;
    let folder = Folder::with_app().await;
    let server = folder.serve_with(&["--otlp-url", collector.otlp_url()], &[]);
    server.shop().register("ana").await;
    server.signal("TERM");
    let log = server.log.clone();
    assert_eq!(server.ended().code(), Some(0));
    let request = collector.spans().into_iter().find(|span| span.name.starts_with("POST"));
    let trace = request.expect("the span is sent before the server ends").trace;
    assert!(log.text().contains(&format!("trace.id=\"{trace}\"")), "{}", log.text());
    let hanging = Receiver::replying(|_| Reply::never()).await;
    let server = folder.serve_with(&["--otlp-url", &hanging.base], &[]);
    server.shop().register("ana").await;
    hanging.sees_in_all(1).await;
    server.signal("TERM");
    let log = server.log.clone();
    assert_eq!(server.ended().code(), Some(0));
    assert!(log.text().contains("failed to send the last traces"), "{}", log.text());
}

#[tokio::test]
async fn without_a_collector_there_are_no_traces() {
    let receiver = Receiver::start().await;
    let folder = Folder::with_app().await;
    let server = folder.serve();
    let app = server.shop();
    app.furnish().await;
    let hooks = Hooks::of(&app);
    hooks.put("/endpoints/bot", json!({"url": receiver.url})).await.data();
    post_within(&app, &format!("00-{TRACE}-{SPAN}-01")).await;
    let received = receiver.sees(hooks.trigger("bot").await, 1).await;
    assert!(!received.has_header("traceparent"));
    assert!(!server.log.text().contains("trace.id"));
    assert!(!app.metrics().await.contains("confab_trace"));
}

#[test]
fn invalid_otlp_settings_are_refused_without_showing_secrets() {
    let folder = Folder::embedded();
    for headers in ["a-password", "x key=a-password", "x-key=a-password%0a"] {
        let environment = [("CONFAB_OTLP_HEADERS", headers)];
        let arguments = ["serve", "--otlp-url", "http://127.0.0.1:1"];
        let said = folder.run_with(&arguments, &environment).failed(1);
        assert!(said.contains("otlp_headers (environment) is not valid"), "{said}");
        assert!(!said.contains("a-password"), "{said}");
    }
    for url in ["127.0.0.1:4318", "grpc://host:4317", "http://me:secret@host", "log:"] {
        let said = folder.run(&["serve", "--otlp-url", url]).failed(1);
        assert!(said.contains("otlp_url"), "{said}");
    }
    let percent = ["serve", "--otlp-url", "http://host", "--otlp-sample-percent", "101"];
    let said = folder.run(&percent).failed(1);
    assert!(said.contains("a number from 0 to 100"), "{said}");
}
