//! How many requests of one app may run at the same time (D-0021, D-0074).

use crate::support::answer::Answer;
use crate::support::caller::Caller;
use crate::support::raw_connection::RawConnection;
use crate::support::test_server::TestServer;
use crate::support::waiting::until_status;

/// Begins a request of the app itself that runs until its connection is dropped, or for 25 seconds:
/// somebody listens to webhooks of which there are none.
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

/// Asks until the answer has this status.
async fn until(status: u16, caller: &Caller) -> Answer {
    until_status(status, async || caller.get("user_profile", &[("user_id", "nobody")]).await).await
}

#[tokio::test]
async fn one_request_too_many_is_refused_at_once_while_another_app_goes_on() {
    let server = TestServer::start_with(&[("app_concurrent_requests", "2")]).await;
    let other = server.create_app("other").await;
    let running = [begin(&server).await, begin(&server).await];
    let refused = until(429, &server).await;
    refused.refused(429, "too_many_at_once").says("at once");
    assert_eq!(refused.header("retry-after"), "1");
    until(404, &other).await;
    drop(running);
    until(404, &server).await;
}

#[tokio::test]
async fn a_caller_who_goes_away_makes_room_for_others() {
    let server = TestServer::start_with(&[("app_concurrent_requests", "1")]).await;
    let running = begin(&server).await;
    until(429, &server).await;
    drop(running);
    until(404, &server).await;
}

#[tokio::test]
async fn what_the_app_itself_has_running_keeps_nobody_else_out() {
    let server = TestServer::start_with(&[("app_concurrent_requests", "1")]).await;
    server.register("ana").await;
    let ana = crate::support::client::Client::of(&server, "ana").await;
    let _running = begin(&server).await;
    until(429, &server).await;
    ana.get("my_profile", &[]).await.results();
    crate::support::client::log_in(&server, "joe", "a password").await.results();
}
