//! Shutdown: running requests finish, and the store is closed cleanly.

use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::realtime::event_stream::Reader;
use crate::realtime::mqtt::client::called;
use crate::realtime::watcher::Watcher;
use crate::support::caller::Caller;
use crate::support::process::Folder;
use crate::support::raw_connection::RawConnection;

const BODY: &str = r#"{"user_id":"ana","room_id":"support","message":"in flight"}"#;

/// Begins a post and withholds its last byte.
async fn begin_post(app: &Caller) -> RawConnection {
    let mut connection = RawConnection::open(&app.base).await;
    let head = format!(
        "POST /api/v2.1/rest/post_comment HTTP/1.1\r\nHost: confab\r\nSERVICE-SDK-APP-ID: {}\r\n\
         SERVICE-SDK-SECRET: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Expect: 100-continue\r\n\r\n",
        app.code,
        app.secret,
        BODY.len()
    );
    connection.write(head).await;
    // The server requests the body once the request runs.
    connection.expect("HTTP/1.1 100 Continue\r\n\r\n").await;
    connection.write(&BODY[..BODY.len() - 1]).await;
    connection
}

async fn check_stop(signal: &str) {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    let app = server.shop();
    app.furnish().await;
    app.post_comment("ana", "support", "before").await;
    let mut running = begin_post(&app).await;
    server.signal(signal);
    server.log.wait_for("shutdown started");
    running.write(&BODY[BODY.len() - 1..]).await;
    let comment = running.answer().await.results()["comment"].take();
    assert_eq!(comment["message"], "in flight", "a running request is finished");
    let log = server.log.clone();
    assert_eq!(server.ended().code(), Some(0));
    let log = log.text();
    assert!(log.lines().last().is_some_and(|line| line.contains("server stopped")), "{log}");
    for left in ["confab.db-wal", "confab.db-shm"] {
        assert!(!folder.data().join(left).exists(), "{left} is left");
    }
    let server = folder.serve();
    let app = server.shop();
    assert_eq!(app.texts("support").await, ["in flight", "before"]);
}

#[tokio::test]
async fn ctrl_c_lets_a_running_request_finish_and_closes_the_store() {
    check_stop("INT").await;
}

#[tokio::test]
async fn sigterm_lets_a_running_request_finish_and_closes_the_store() {
    check_stop("TERM").await;
}

#[tokio::test]
async fn a_second_signal_stops_at_once() {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    let app = server.shop();
    app.furnish().await;
    let _running = begin_post(&app).await;
    server.signal("INT");
    server.log.wait_for("shutdown started");
    server.signal("INT");
    assert_eq!(server.ended().code(), Some(1));
}

#[tokio::test]
async fn a_request_that_never_ends_is_aborted_after_the_grace_period() {
    let folder = Folder::with_app().await;
    let server = folder.serve_with(&["--stop-grace-seconds", "1"], &[]);
    let app = server.shop();
    app.furnish().await;
    let _running = begin_post(&app).await;
    server.signal("INT");
    assert_eq!(server.ended().code(), Some(0));
    let server = folder.serve();
    assert!(server.shop().texts("support").await.is_empty());
}

#[tokio::test]
async fn a_second_server_on_the_same_folder_is_refused_and_the_first_keeps_running() {
    let folder = Folder::embedded().and_app().await;
    let server = folder.serve();
    let app = server.shop();
    app.furnish().await;
    let said = folder.run(&["serve", "--listen", "127.0.0.1:0"]).failed(1);
    assert!(said.contains("another confab server uses ./data"), "{said}");
    app.post_comment("ana", "support", "still here").await;
}

#[tokio::test]
async fn the_shutdown_does_not_wait_for_event_streams() {
    let folder = Folder::with_app().await;
    let server = folder.serve_with(&["--stop-grace-seconds", "50"], &[]);
    let app = server.shop();
    app.furnish().await;
    let token = app.token("bob").await;
    let request = app.bare(reqwest::Method::GET, "/realtime").header("SERVICE-SDK-TOKEN", token);
    let mut stream = request.send().await.expect("a stream");
    let started = std::time::Instant::now();
    server.signal("TERM");
    while let Ok(Some(_)) = stream.chunk().await {}
    assert_eq!(server.ended().code(), Some(0));
    let took = started.elapsed();
    assert!(took < std::time::Duration::from_secs(25), "{took:?}");
}

#[tokio::test]
async fn a_draining_server_accepts_requests_until_another_signal_stops_it() {
    let folder = Folder::with_app().await;
    let server = folder.serve_with(&["--drain-seconds", "3600"], &[]);
    let app = server.shop();
    app.furnish().await;
    let ready = app.ready().await;
    assert_eq!((ready.status, ready.header("connection")), (200, ""));
    let mut by_web_socket = Watcher::start(&app, "bob").await;
    let mut by_events = Reader::start(&app, "bob", "").await;
    let mut by_mqtt = called("shop_bob_1").by_web(&app).await;
    server.signal("TERM");
    server.log.wait_for("drain started");
    app.ready().await.refused(503, "not_ready");
    assert_eq!(by_web_socket.closed().await, CloseCode::Restart);
    while by_events.next_or_end().await.is_some() {}
    let comes_back_ms = by_events.comes_back_ms.expect("the event stream has a reconnection time");
    assert!((500..=3_500).contains(&comes_back_ms), "{comes_back_ms}");
    by_mqtt.closed().await;
    let body = serde_json::json!({"user_id": "ana", "room_id": "support", "message": "still"});
    let posted = app.post("post_comment", body).await;
    assert_eq!((posted.status, posted.header("connection")), (200, "close"));
    // A client that reconnects is accepted, and disconnected again.
    let mut again = Watcher::start(&app, "bob").await;
    assert_eq!(again.closed().await, CloseCode::Restart);
    let mut running = begin_post(&app).await;
    server.signal("TERM");
    server.log.wait_for("shutdown started");
    running.write(&BODY[BODY.len() - 1..]).await;
    let comment = running.answer().await.results()["comment"].take();
    assert_eq!(comment["message"], "in flight", "a running request is finished");
    assert_eq!(server.ended().code(), Some(0));
}

#[tokio::test]
async fn a_draining_server_stops_after_the_drain_time() {
    let folder = Folder::with_app().await;
    let server = folder.serve_with(&["--drain-seconds", "1"], &[]);
    let log = server.log.clone();
    server.signal("TERM");
    assert_eq!(server.ended().code(), Some(0));
    let log = log.text();
    let (_, after) = log.split_once("drain started").expect("the drain is logged");
    let (_, after) = after.split_once("shutdown started").expect("the shutdown is logged");
    assert!(after.lines().last().is_some_and(|line| line.contains("server stopped")), "{log}");
}
