//! The limit on concurrent requests of one app (design/sign-in-and-limits).

use crate::support::answer::Answer;
use crate::support::caller::Caller;
use crate::support::raw_connection::RawConnection;
use crate::support::test_server::TestServer;
use crate::support::waiting::until_status;

/// Begins a long poll for webhooks, which runs for 25 seconds or until its connection is dropped.
async fn begin(caller: &Caller) -> RawConnection {
    let ask = |query: &str| {
        format!(
            "GET /api/v2/webhooks/listen?{query} HTTP/1.1\r\nHost: confab\r\n\
             SERVICE-App-Id: {code}\r\nSERVICE-Secret-Key: secret-key-of-{code}\r\n\r\n",
            code = caller.code
        )
    };
    let mut connection = RawConnection::open(&caller.base).await;
    connection.write(ask("wait_seconds=0")).await;
    let data = connection.answer().await.data();
    let next = &data["next"];
    connection.write(ask(&format!("wait_seconds=25&after={next}"))).await;
    connection
}

/// Repeats a request until the response has this status.
async fn until(status: u16, caller: &Caller) -> Answer {
    until_status(status, async || caller.get("user_profile", &[("user_id", "nobody")]).await).await
}

#[tokio::test]
async fn a_request_over_the_concurrency_limit_is_refused_only_for_that_app() {
    let server = TestServer::start_with(&[("app_concurrent_requests", "2")]).await;
    let other = server.create_app("other").await;
    let running = [begin(&server).await, begin(&server).await];
    let refused = until(429, &server).await;
    refused.refused(429, "too_many_at_once").says("are running");
    assert_eq!(refused.header("retry-after"), "1");
    until(404, &other).await;
    drop(running);
    until(404, &server).await;
}

#[tokio::test]
async fn a_dropped_connection_frees_its_place() {
    let server = TestServer::start_with(&[("app_concurrent_requests", "1")]).await;
    let running = begin(&server).await;
    until(429, &server).await;
    drop(running);
    until(404, &server).await;
}

#[tokio::test]
async fn requests_of_the_app_do_not_count_against_its_users() {
    let server = TestServer::start_with(&[("app_concurrent_requests", "1")]).await;
    server.register("ana").await;
    let ana = crate::support::client::Client::of(&server, "ana").await;
    let _running = begin(&server).await;
    until(429, &server).await;
    ana.get("my_profile", &[]).await.results();
    crate::support::client::log_in(&server, "joe", "a password").await.results();
}
