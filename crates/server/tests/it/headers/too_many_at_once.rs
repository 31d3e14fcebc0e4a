//! How many requests of one app may run at the same time (D-0021).

use std::time::{Duration, Instant};

use crate::caller::Caller;
use crate::raw_connection::RawConnection;
use crate::test_server::TestServer;

const BODY: &str = r#"{"user_id":"cid","username":"Cid"}"#;

/// Begins a request and keeps its last byte back, so that it runs until told. It runs for certain:
/// the server asks for the body once it has counted the request.
async fn begin(caller: &Caller) -> RawConnection {
    let mut connection = RawConnection::open(&caller.base).await;
    let head = format!(
        "POST /api/v2.1/rest/login_or_register HTTP/1.1\r\nHost: confab\r\n\
         SERVICE-SDK-APP-ID: {}\r\nSERVICE-SDK-SECRET: {}\r\n\
         Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n",
        caller.code,
        caller.secret,
        BODY.len()
    );
    connection.write(head).await;
    connection.expect("HTTP/1.1 100 Continue\r\n\r\n").await;
    connection.write(&BODY[..BODY.len() - 1]).await;
    connection
}

/// Asks until the answer has this status.
async fn until(status: u16, caller: &Caller) -> crate::answer::Answer {
    let started = Instant::now();
    loop {
        let answer = caller.get("user_profile", &[("user_id", "nobody")]).await;
        if answer.status == status {
            return answer;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "{}", answer.status);
    }
}

#[tokio::test]
async fn one_request_too_many_is_refused_at_once_while_another_app_goes_on() {
    let server = TestServer::start_with(&[("app_requests_at_once", "2")]).await;
    let other = server.create_app("other").await;
    let mut running = [begin(&server).await, begin(&server).await];
    let refused = until(429, &server).await;
    refused.refused(429, "too_many_at_once").says("at once");
    assert_eq!(refused.header("retry-after"), "1");
    until(404, &other).await;
    for connection in &mut running {
        connection.write(&BODY[BODY.len() - 1..]).await;
        connection.answer().await.results();
    }
    until(404, &server).await;
}

#[tokio::test]
async fn a_caller_who_goes_away_makes_room_for_others() {
    let server = TestServer::start_with(&[("app_requests_at_once", "1")]).await;
    let running = begin(&server).await;
    until(429, &server).await;
    drop(running);
    until(404, &server).await;
}
