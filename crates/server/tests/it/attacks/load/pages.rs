//! Requests of a few bytes with large responses.

use std::net::SocketAddr;
use std::time::Duration;

use confab_domain::limits::{
    EXTRAS_BYTES_MAX, PAYLOAD_BYTES_MAX, STREAMED_ANSWER_BYTES, UNSENT_APP_BYTES_MAX,
    UNSENT_USER_BYTES_MAX,
};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::support::answer::{Answer, Refused, each, items, text};
use crate::support::caller::{Caller, unique_id, with_query};
use crate::support::client::{Client, two_people};
use crate::support::engine;
use crate::support::process::Folder;
use crate::support::shop::Shop;
use crate::support::test_server::{TestServer, create_app};

/// Returns a JSON object of exactly this many bytes.
fn object(bytes: usize) -> Value {
    let around = json!({"x": ""}).to_string().len();
    json!({"x": "y".repeat(bytes - around)})
}

/// Returns a custom message whose payload has exactly this many bytes.
fn custom(bytes: usize) -> Value {
    let around = json!({"type": "t", "content": {"x": ""}}).to_string().len();
    json!({"type": "t", "content": {"x": "y".repeat(bytes - around)}})
}

/// Returns a message API comment of the maximum size.
fn large(room: &str) -> Value {
    json!({
        "user_id": "ana", "room_id": room, "type": "custom",
        "payload": custom(PAYLOAD_BYTES_MAX), "extras": object(EXTRAS_BYTES_MAX),
    })
}

#[track_caller]
fn check_too_large(refused: &Refused, field: &str) {
    refused.says(&format!("{field} must have at most 65536 bytes"));
}

#[tokio::test]
async fn payloads_and_extras_over_64_kib_are_refused_by_the_message_api() {
    let (server, _, _, room) = two_people().await;
    server.post("post_comment", large(&room)).await.results();
    let broadcast = json!({
        "sender_user_id": "ana", "target_user_ids": ["bob"], "type": "custom",
        "payload": custom(PAYLOAD_BYTES_MAX), "extras": object(EXTRAS_BYTES_MAX),
    });
    server.post("broadcast", broadcast.clone()).await.results();
    let event = json!({
        "system_event_type": "custom", "room_id": room, "message": "hello",
        "payload": custom(PAYLOAD_BYTES_MAX), "extras": object(EXTRAS_BYTES_MAX),
    });
    server.post("post_system_event_message", event.clone()).await.results();
    let before = server.texts(&room).await.len();
    let calls = [
        ("post_comment", large(&room)),
        ("broadcast", broadcast),
        ("post_system_event_message", event),
    ];
    for (call, body) in calls {
        for (field, value) in
            [("payload", custom(PAYLOAD_BYTES_MAX + 1)), ("extras", object(EXTRAS_BYTES_MAX + 1))]
        {
            let mut body = body.clone();
            body[field] = value;
            check_too_large(&server.post(call, body).await.refused(400, "invalid_request"), field);
        }
    }
    assert_eq!(server.texts(&room).await.len(), before, "nothing was posted");
}

#[tokio::test]
async fn payloads_and_extras_over_64_kib_are_refused_in_client_posts_and_edits() {
    let (_server, ana, _, room) = two_people().await;
    let body = json!({
        "comment": "", "topic_id": room, "type": "custom", "unique_temp_id": "u1",
        "payload": custom(PAYLOAD_BYTES_MAX), "extras": object(EXTRAS_BYTES_MAX),
    });
    ana.post("post_comment", body.clone()).await.results();
    let edit = json!({"unique_id": "u1", "comment": ""});
    for (field, value) in
        [("payload", custom(PAYLOAD_BYTES_MAX + 1)), ("extras", object(EXTRAS_BYTES_MAX + 1))]
    {
        for (call, body) in [("post_comment", &body), ("update_message", &edit)] {
            let mut body = body.clone();
            body[field] = value.clone();
            check_too_large(&ana.post(call, body).await.refused(400, "invalid_request"), field);
        }
    }
    let mut edit = edit;
    edit["payload"] = custom(PAYLOAD_BYTES_MAX);
    ana.post("update_message", edit).await.results();
}

#[tokio::test]
async fn payloads_and_extras_over_64_kib_are_refused_from_gateways_and_bots() {
    let shop = Shop::open().await;
    let room = shop.room_of("cid").await;
    for (field, value) in
        [("payload", custom(PAYLOAD_BYTES_MAX + 1)), ("extras", object(EXTRAS_BYTES_MAX + 1))]
    {
        let mut body = json!({"user_id": "cid", "name": "Cid", "message": "hi", "type": "custom"});
        body["payload"] = custom(100);
        body[field] = value.clone();
        check_too_large(&shop.send(body).await.errors(400, "invalid_request"), field);
        let mut body = json!({
            "sender_email": "shop_admin@bot.example", "room_id": room, "type": "custom",
            "payload": custom(100),
        });
        body[field] = value;
        let answer = shop.post("/shop/bot", body);
        check_too_large(&answer.await.errors(400, "invalid_request"), field);
    }
    // A caption becomes a payload.
    let body = json!({
        "sender_email": "shop_admin@bot.example", "room_id": room,
        "attachment_url": "https://files.example/a.png", "caption": "c".repeat(PAYLOAD_BYTES_MAX),
    });
    let answer = shop.post("/shop/bot", body);
    check_too_large(&answer.await.errors(400, "invalid_request"), "payload");
}

#[tokio::test]
async fn a_reply_includes_the_payload_that_it_answers_only_if_it_fits() {
    let (server, ana, _, room) = two_people().await;
    let reply_to = async |id: &Value, bytes| {
        let payload = json!({"replied_comment_id": id, "text": "yes", "own": "z".repeat(bytes)});
        let answer = server.post_typed("ana", &room, "reply", payload).await;
        answer.results()["comment"].take()
    };
    let half = PAYLOAD_BYTES_MAX / 2;
    let answered = server.post_typed("ana", &room, "custom", custom(half)).await.results();
    let answered = &answered["comment"]["id"];
    let small = reply_to(answered, 100).await;
    assert_eq!(small["payload"]["replied_comment_payload"], custom(half));
    let edit = json!({"unique_id": unique_id(&small), "comment": "no"});
    ana.post("update_message", edit).await.results();
    let edited = &ana.comments(&room, &[("limit", "1")]).await[0];
    assert_eq!(
        edited["payload"]["replied_comment_payload"],
        custom(half),
        "an edit retains the payload"
    );
    let large = reply_to(answered, half).await;
    assert_eq!(large["payload"]["replied_comment_payload"], json!({}));
}

/// Posts messages of the maximum size in a room of ana and bob; returns their ids, oldest first.
async fn fill(caller: &Caller, room: &str, messages: usize) -> Vec<i64> {
    let mut ids = Vec::new();
    for _ in 0..messages {
        let comment = caller.post("post_comment", large(room)).await.results()["comment"].take();
        ids.push(comment["id"].as_i64().expect("an id"));
    }
    ids
}

fn ids(comments: &Value) -> Vec<i64> {
    items(comments).iter().map(|comment| comment["id"].as_i64().expect("an id")).collect()
}

#[track_caller]
fn check_complete(answer: &Answer, expected: &[i64]) {
    let comments = &answer.results()["comments"];
    assert_eq!(ids(comments), expected);
    for comment in items(comments) {
        let content = (&comment["payload"], &comment["extras"]);
        assert_eq!(content, (&custom(PAYLOAD_BYTES_MAX), &object(EXTRAS_BYTES_MAX)));
    }
}

#[tokio::test]
async fn the_largest_pages_are_complete_and_page_numbers_skip_nothing() {
    let (server, ana, _, room) = two_people().await;
    let oldest_first = fill(&server, &room, 30).await;
    let newest_first: Vec<_> = oldest_first.iter().rev().copied().collect();

    let page = server.get("load_comments", &[("room_id", &room), ("limit", "100")]).await;
    check_complete(&page, &newest_first);
    assert_eq!(page.header("transfer-encoding"), "chunked", "a large page is streamed");
    let by_seven = newest_first.chunks(7);
    for (number, expected) in (1..).zip(by_seven) {
        let number = number.to_string();
        let query = [("room_id", &*room), ("limit", "7"), ("page", &*number)];
        check_complete(&server.get("load_comments", &query).await, expected);
    }
    let one = server.get("load_comments", &[("room_id", &room), ("limit", "1")]).await;
    assert_ne!(one.header("content-length"), "", "a small page is sent in one piece");

    let (first, last) = (oldest_first[3].to_string(), oldest_first[25].to_string());
    let range = [("room_id", &*room), ("first_comment_id", &*first), ("last_comment_id", &*last)];
    check_complete(&server.get("load_comments_with_range", &range).await, &newest_first[4..27]);

    let query = [("topic_id", &*room), ("limit", "100")];
    check_complete(&ana.get("load_comments", &query).await, &newest_first);
    let before = [("topic_id", &*room), ("last_comment_id", &*last), ("limit", "100")];
    check_complete(&ana.get("load_comments", &before).await, &newest_first[5..]);
    let after =
        [("topic_id", &*room), ("last_comment_id", &*first), ("after", "true"), ("limit", "100")];
    check_complete(&ana.get("load_comments", &after).await, &newest_first[..26]);

    let synced = ana.get("sync", &[("last_received_comment_id", &first)]).await;
    check_complete(&synced, &oldest_first[4..]);
    let newest = oldest_first[29];
    assert_eq!(synced.results()["meta"]["last_received_comment_id"], newest);

    let opened = ana.get("get_room_by_id", &[("id", &room)]).await.results();
    assert_eq!(ids(&opened["comments"]), newest_first[..20]);
}

#[tokio::test]
async fn searches_and_file_lists_return_large_messages_completely() {
    let (server, ana, _, room) = two_people().await;
    let mut expected = Vec::new();
    for number in 0..12 {
        let payload = json!({
            "url": format!("https://files.example/{number}.png"), "caption": "",
            "more": "y".repeat(60_000),
        });
        let answer = server.post_typed("ana", &room, "file_attachment", payload).await;
        expected.push(answer.results()["comment"]["id"].as_i64().expect("an id"));
    }
    expected.reverse();
    let wanted = json!({"query": "files.example", "room_ids": [room], "limit": 100});
    for call in ["search", "search_messages", "file_list"] {
        let answer = ana.post(call, wanted.clone()).await.results();
        assert_eq!(ids(&answer["comments"]), expected, "{call}");
        let extra = |it: &Value| text(&it["payload"]["more"]).len() == 60_000;
        assert!(items(&answer["comments"]).iter().all(extra), "{call}");
    }
}

#[tokio::test]
async fn lists_of_large_rooms_and_users_are_complete() {
    let (server, ana, _, _) = two_people().await;
    let mut rooms = vec!["support".to_owned()];
    for number in 0..15 {
        let name = format!("room-{number}");
        let options = object(60_000).to_string();
        let body = json!({
            "room_name": name, "unique_id": name, "participants": ["ana", "bob"],
            "room_options": options,
        });
        server.post("create_room", body).await.results();
        server.post_comment("ana", &name, "hello").await;
        let body = json!({"user_id": format!("person-{number}"), "username": "P", "extras": object(60_000)});
        server.post("login_or_register", body).await.results();
        rooms.push(name);
    }
    let extra: Vec<_> = (0..15).map(|number| format!("person-{number}")).collect();
    let body = json!({"room_id": "support", "user_ids": extra});
    server.post("add_room_participants", body).await.results();

    let query = [("limit", "100"), ("show_participants", "true"), ("show_empty", "true")];
    let listed = ana.get("user_rooms", &query).await.results();
    let mut found: Vec<_> =
        each(&listed["rooms_info"], "unique_id").into_iter().map(str::to_owned).collect();
    assert_eq!(found[..15], rooms[1..].iter().rev().cloned().collect::<Vec<_>>());
    found.sort();
    rooms.sort();
    assert_eq!(found, rooms);
    assert_eq!(listed["meta"]["total_room"], 16);
    let body = json!({"room_unique_id": rooms, "show_participants": true});
    let info = ana.post("rooms_info", body).await.results();
    assert_eq!(each(&info["rooms_info"], "unique_id"), rooms);
    assert_eq!(info["meta"]["response_rooms_total"], 16);
    let people = |it: &Value| items(&it["participants"]).len();
    assert_eq!(items(&info["rooms_info"]).iter().map(people).sum::<usize>(), 15 * 2 + 17);

    let query = [("user_id", "ana"), ("limit", "100")];
    let listed = server.get("get_user_rooms", &query).await;
    assert_eq!(items(&listed.results()["rooms"]).len(), 16);
    assert_eq!(server.participants("support").await.len(), 17);
    let users = server.get("get_user_list", &[("limit", "100")]).await.results();
    assert!(items(&users["users"]).len() >= 17);
}

/// A connection whose response is read only up to the status.
struct Unread {
    stream: TcpStream,
    read: Vec<u8>,
    status: u16,
}

impl Unread {
    async fn send(base: &str, request: RequestBuilder) -> Self {
        let request = request.build().expect("a request");
        let path = &request.url()[url::Position::BeforePath..];
        let mut head = format!("{} {path} HTTP/1.1\r\nhost: confab\r\n", request.method());
        for (name, value) in request.headers() {
            head += &format!("{name}: {}\r\n", value.to_str().expect("text"));
        }
        let address: SocketAddr = base.trim_start_matches("http://").parse().expect("an address");
        let socket = TcpSocket::new_v4().expect("a socket");
        // A buffer so small that it holds no significant part of a large response.
        socket.set_recv_buffer_size(16_384).expect("set");
        let mut stream = socket.connect(address).await.expect("connected");
        stream.write_all((head + "\r\n").as_bytes()).await.expect("written");
        let mut read = vec![0; "HTTP/1.1 200".len()];
        stream.read_exact(&mut read).await.expect("an answer");
        let status = String::from_utf8_lossy(&read[9..]).parse().expect("a status");
        Self { stream, read, status }
    }

    /// Reads the rest; returns the body, assembled from its chunks.
    async fn body(mut self) -> Vec<u8> {
        while !self.read.ends_with(b"\r\n0\r\n\r\n") {
            assert!(
                self.stream.read_buf(&mut self.read).await.expect("read") > 0,
                "the response is complete"
            );
        }
        let at = self.read.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
        let (mut rest, mut body) = (&self.read[at..], Vec::new());
        loop {
            let end = rest.windows(2).position(|two| two == b"\r\n").expect("a size");
            let size = std::str::from_utf8(&rest[..end]).expect("digits");
            let size = usize::from_str_radix(size, 16).expect("a size");
            if size == 0 {
                return body;
            }
            body.extend_from_slice(&rest[end + 2..end + 2 + size]);
            rest = &rest[end + 2 + size + 2..];
        }
    }
}

#[tokio::test]
async fn a_message_deleted_while_its_page_is_streamed_appears_without_content() {
    let (server, _, _, room) = two_people().await;
    let posted = fill(&server, &room, 100).await;
    let query = [("room_id", &*room), ("page", "100"), ("limit", "1")];
    let oldest = server.get("load_comments", &query).await.results()["comments"][0].take();
    let call = with_query("load_comments", &[("room_id", &room), ("limit", "100")]);
    let unread = Unread::send(&server.base, server.request(Method::GET, &call)).await;
    server.delete_messages(&[unique_id(&oldest)]).await.results();
    let body: Value = serde_json::from_slice(&unread.body().await).expect("JSON");
    let comments = &body["results"]["comments"];
    assert!(ids(comments).iter().rev().eq(&posted), "the page has all messages as of the request");
    let last = &comments[99];
    assert_eq!((&last["message"], &last["payload"]), (&json!(""), &Value::Null));
    assert_eq!(last["extras"], json!({}));
    assert_eq!(body["status"], 200);
}

#[tokio::test]
async fn forty_unread_pages_take_little_memory_and_block_only_their_reader() {
    let folder = Folder::with_app().await;
    create_app(&mut engine::registry(&folder.location()).await, "other").await;
    let server = folder.serve();
    let (shop, other) = (server.shop(), server.caller("other", "sdk-secret-of-other"));
    shop.furnish().await;
    other.furnish().await;
    other.post_comment("ana", "support", "hello").await;
    fill(&shop, "support", 100).await;
    let (ana, bob) = (Client::of(&shop, "ana").await, Client::of(&shop, "bob").await);
    let room = ana.get("user_rooms", &[]).await.results()["rooms_info"][0]["id_str"].take();
    let query = [("topic_id", text(&room)), ("limit", "100")];
    let page = |client: &Client| client.request(Method::GET, &with_query("load_comments", &query));
    let mut before = server.memory_kib();

    // Responses to one user beyond the limit are refused.
    let mut unread = Vec::new();
    for _ in 0..40 {
        unread.push(Unread::send(&server.base, page(&ana)).await);
    }
    let answered = unread.iter().filter(|it| it.status == 200).count();
    assert_eq!(answered, UNSENT_USER_BYTES_MAX / STREAMED_ANSWER_BYTES);
    assert!(unread.iter().all(|it| [200, 429].contains(&it.status)));
    let refused = ana.get("load_comments", &query).await;
    refused.refused(429, "too_much_unsent");
    assert_ne!(refused.header("retry-after"), "");
    assert_eq!(ana.get("load_comments", &[query[0], ("limit", "1")]).await.status, 200);
    check_full_page(&bob.get("load_comments", &query).await);
    check_memory(&mut before, server.memory_kib(), "40 unread pages of one user");
    drop(unread);
    // Capacity is free again once the server noticed that the responses are not read.
    until_answered(async || ana.get("load_comments", &query).await).await;

    // All requests of the app itself are answered, and take no more memory than is counted.
    let call = with_query("load_comments", &[("room_id", "support"), ("limit", "100")]);
    let mut unread = Vec::new();
    for _ in 0..40 {
        let request = shop.request(Method::GET, &call);
        unread.push(Unread::send(&server.base, request).await);
    }
    assert!(unread.iter().all(|it| it.status == 200));
    const { assert!(40 * STREAMED_ANSWER_BYTES <= UNSENT_APP_BYTES_MAX) };
    assert_eq!(other.texts("support").await, ["hello"], "another app is answered");
    check_full_page(&bob.get("load_comments", &query).await);
    check_memory(&mut before, server.memory_kib(), "40 unread pages of an app");
}

/// Repeats a request until it succeeds.
async fn until_answered(ask: impl AsyncFn() -> Answer) {
    let answered = async { while ask().await.status != 200 {} };
    tokio::time::timeout(Duration::from_secs(60), answered).await.expect("within a minute");
}

#[track_caller]
fn check_full_page(answer: &Answer) {
    assert_eq!(items(&answer.results()["comments"]).len(), 100);
}

#[track_caller]
fn check_memory(before: &mut u64, after: u64, what: &str) {
    println!("{what}: {before} KiB before, {after} KiB after");
    assert!(after < *before + 100 * 1024, "{what}: {before} KiB before, {after} KiB after");
    *before = (*before).max(after);
}

#[tokio::test]
async fn large_user_lists_count_against_the_limit_until_they_are_read() {
    let server = TestServer::start().await;
    for number in 0..100 {
        let body =
            json!({"user_id": format!("u{number}"), "username": "U", "extras": object(60_000)});
        server.post("login_or_register", body).await.results();
    }
    let call = with_query("get_user_list", &[("limit", "100")]);
    let mut unread = Vec::new();
    while unread.last().is_none_or(|it: &Unread| it.status == 200) {
        assert!(unread.len() < 20, "unread responses are limited");
        let request = server.request(Method::GET, &call);
        unread.push(Unread::send(&server.base, request).await);
    }
    assert_eq!(unread.last().map(|it| it.status), Some(429));
    let other = server.create_app("other").await;
    assert_eq!(other.get("get_user_list", &[]).await.status, 200);
    drop(unread);
    until_answered(async || server.get("get_user_list", &[("limit", "100")]).await).await;
}
