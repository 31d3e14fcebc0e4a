//! Exchanges with a real server: what arrives, and the errors without a response.

use std::time::Duration;

use bytes::Bytes;
use hyper::header::{HeaderMap, HeaderValue};
use hyper::{Method, StatusCode};
use tokio::sync::oneshot;
use url::Url;

use super::small_server::{Reply, SmallServer, nobody};
use crate::remote::api_client::{ApiResponse, Call, NoResponse, exchange};

async fn post(url: Url, limit: Duration) -> Result<ApiResponse, NoResponse> {
    let mut headers = HeaderMap::new();
    headers.insert("x-name", HeaderValue::from_static("a value"));
    let body = Bytes::from_static("\u{feff}{\"n\": 1.0}\r\n\0".as_bytes());
    exchange(Call { method: Method::POST, url, headers, body, limit }).await
}

const LONG: Duration = Duration::from_secs(30);

#[tokio::test]
async fn path_headers_and_body_of_a_request_arrive_unchanged() {
    let mut server = SmallServer::start([Reply::Answer(418, "tea".to_owned())]).await;
    let answer = post(server.url("/a%20b/c?d=e#f"), LONG).await.expect("an answer");
    assert_eq!((answer.status, &answer.body[..]), (StatusCode::IM_A_TEAPOT, &b"tea"[..]));
    let seen = server.seen().await;
    assert_eq!(seen.line, "POST /a%20b/c?d=e");
    assert_eq!(seen.headers["x-name"], "a value");
    assert_eq!(seen.headers["host"], server.address.to_string());
    assert_eq!(seen.body, "\u{feff}{\"n\": 1.0}\r\n\0".as_bytes());
}

#[tokio::test]
async fn a_port_without_a_listener_is_reported_as_refused() {
    assert_eq!(post(nobody(), LONG).await.err(), Some(NoResponse::Refused));
}

#[tokio::test]
async fn a_silent_server_is_abandoned_after_the_time_limit() {
    let server = SmallServer::start([Reply::Silence]).await;
    let limit = Duration::from_millis(100);
    let unanswered = post(server.url("/"), limit).await.err();
    assert_eq!(unanswered, Some(NoResponse::TooLate(limit)));
}

#[tokio::test]
async fn a_connection_closed_without_a_response_differs_from_a_refused_one() {
    let server = SmallServer::start([Reply::HangUp]).await;
    let unanswered = post(server.url("/"), LONG).await.expect_err("no answer");
    assert!(matches!(&unanswered, NoResponse::Broken(why) if why.contains("no HTTP response")));
}

#[tokio::test]
async fn a_slow_response_within_the_time_limit_is_received() {
    let (tell, told) = oneshot::channel();
    let mut server = SmallServer::start([Reply::AnswerWhen(told, 200, "at last".to_owned())]).await;
    let posting = post(server.url("/"), LONG);
    let telling = async {
        server.seen().await;
        tell.send(()).expect("it waits");
    };
    let (answer, ()) = tokio::join!(posting, telling);
    assert_eq!(answer.expect("an answer").body, "at last");
}
