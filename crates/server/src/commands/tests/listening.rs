//! `confab listen` against servers that come and go, and receivers that answer or do not.

use confab_verify::sign;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use url::Url;

use super::small_server::{KEY, Reply, SmallServer, api_of, nobody};
use crate::commands::listen::Listening;

const BODY: &str = "{\"text\":\"Grüße 👋\",\"n\":1.0}";

fn event(id: i64, kind: &str) -> Value {
    json!({
        "id": id,
        "kind": kind,
        "room_id": "55",
        "created_at": "2026-11-15T10:00:00.000000Z",
        "headers": {
            "service-signature-key": sign(KEY, BODY.as_bytes()),
            "webhook-id": format!("msg_{id}"),
            "host": "elsewhere",
        },
        "body": BODY,
    })
}

fn page(events: &[Value], next: i64) -> Reply {
    let body = json!({"data": {"events": events, "next": next}, "status": 200});
    Reply::Answer(200, body.to_string())
}

/// Listens until so many lines were printed or told; gives them all.
async fn lines_of(
    server: &SmallServer,
    forward_to: Option<Url>,
    kind: Option<&str>,
    count: usize,
) -> Vec<String> {
    let (sender, mut lines) = mpsc::unbounded_channel();
    let take = |line: &str| sender.send(line.to_owned()).expect("the test listens");
    let kind = kind.map(str::to_owned);
    let listening = Listening { forward_to, kind, print: &take, tell: &take };
    let api = server.api();
    let mut said = Vec::new();
    let enough = async {
        while said.len() < count {
            said.push(lines.recv().await.expect("a line"));
        }
    };
    tokio::select! {
        ended = listening.until_refused(&api) => panic!("{:?}", ended.err()),
        () = enough => {}
    }
    said
}

#[tokio::test]
async fn events_are_printed_and_the_wanted_kind_only() {
    let both = [event(11, "bot"), event(12, "logout")];
    let mut server = SmallServer::start([page(&[], 10), page(&both, 12), Reply::Silence]).await;
    let lines = lines_of(&server, None, Some("logout"), 2).await;
    assert!(lines[0].starts_with("Listens for webhooks of logout at http://127"), "{lines:?}");
    assert_eq!(lines[1], "2026-11-15 10:00:00  logout  room 55  signature ok");
    assert_eq!(server.seen().await.line, "GET /api/v2/webhooks/listen?wait_seconds=0");
    let second = "GET /api/v2/webhooks/listen?after=10&wait_seconds=25";
    assert_eq!(server.seen().await.line, second);
}

#[tokio::test]
async fn the_receiver_gets_the_same_bytes_and_headers_in_order() {
    let both = [event(11, "bot"), event(12, "bot")];
    let server = SmallServer::start([page(&[], 10), page(&both, 12), Reply::Silence]).await;
    let answers = [Reply::Answer(204, String::new()), Reply::Answer(500, "no".to_owned())];
    let mut receiver = SmallServer::start(answers).await;
    let lines = lines_of(&server, Some(receiver.url("/hook?a=b")), None, 3).await;
    assert!(lines[0].contains("and forwards them to http://127.0.0.1:"), "{lines:?}");
    assert!(lines[1].contains("signature ok  -> 204 in "), "{lines:?}");
    assert!(lines[2].contains("signature ok  -> 500 in "), "{lines:?}");
    for id in ["msg_11", "msg_12"] {
        let seen = receiver.seen().await;
        assert_eq!(seen.line, "POST /hook?a=b");
        assert_eq!(seen.body, BODY.as_bytes());
        assert_eq!(seen.headers["webhook-id"], id);
        assert_eq!(seen.headers["service-signature-key"], sign(KEY, BODY.as_bytes()));
        assert_eq!(seen.headers["content-type"], "application/json");
        assert_eq!(seen.headers["host"], receiver.address.to_string());
        assert_eq!(seen.headers["content-length"], BODY.len().to_string());
    }
}

#[tokio::test]
async fn a_receiver_that_is_not_there_stops_nothing() {
    let pages = [page(&[], 10), page(&[event(11, "bot")], 11), page(&[event(12, "bot")], 12)];
    let server = SmallServer::start(pages.into_iter().chain([Reply::Silence])).await;
    let lines = lines_of(&server, Some(nobody().await), None, 3).await;
    for line in &lines[1..] {
        assert!(line.ends_with("-> not taken: the connection was refused"), "{line}");
    }
}

#[tokio::test]
async fn a_server_that_went_away_and_came_back_is_asked_for_what_was_missed() {
    let pages = [page(&[], 10), page(&[event(11, "bot")], 11), Reply::HangUp];
    let mut first = SmallServer::start(pages).await;
    let (sender, mut lines) = mpsc::unbounded_channel();
    let take = |line: &str| sender.send(line.to_owned()).expect("the test listens");
    let listening = Listening { forward_to: None, kind: None, print: &take, tell: &take };
    let api = first.api();
    let restarted = async {
        for beginning in ["Listens", "2026-11-15", "The server went away, trying again: "] {
            let line = lines.recv().await.expect("a line");
            assert!(line.starts_with(beginning), "{line}");
        }
        for after in ["?wait_seconds=0", "?after=10&wait_seconds=25", "?after=11&wait_seconds=25"] {
            let line = first.seen().await.line;
            assert!(line.ends_with(after), "{line}");
        }
        let pages = [page(&[event(12, "new_session")], 12), Reply::Silence];
        let mut second = SmallServer::start_at(first.address, pages).await;
        assert_eq!(lines.recv().await.as_deref(), Some("The server is back."));
        let line = lines.recv().await.expect("a line");
        assert!(line.contains("new_session"), "{line}");
        for after in ["?after=11&wait_seconds=25", "?after=12&wait_seconds=25"] {
            let line = second.seen().await.line;
            assert!(line.ends_with(after), "{line}");
        }
    };
    tokio::select! {
        ended = listening.until_refused(&api) => panic!("{:?}", ended.err()),
        () = restarted => {}
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_at_the_start_or_refuses_the_key_ends_it() {
    let nothing = |_: &str| {};
    let listening = Listening { forward_to: None, kind: None, print: &nothing, tell: &nothing };
    let denied = Reply::Answer(401, r#"{"errors":{"message":"Unauthorized"}}"#.to_owned());
    let server = SmallServer::start([page(&[], 10), denied]).await;
    let said = listening.until_refused(&server.api()).await.expect_err("refused").to_string();
    assert!(said.contains("refused the app id or its secret key"), "{said}");
    let api = api_of(nobody().await);
    let said = listening.until_refused(&api).await.expect_err("nobody").to_string();
    assert!(said.contains("is the server running?"), "{said}");
}
