//! `GET /load_comments`: contents, sizes and order of pages (spec 4.1, spec 8).

use std::io::Read as _;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{items, keys};
use crate::support::caller::unique_id;
use crate::support::shop::Shop;
use crate::support::test_server::TestServer;

/// Creates a room with messages 1 to `count`.
async fn room_of(count: usize) -> TestServer {
    let server = TestServer::with_support_room().await;
    for number in 1..=count {
        server.post_comment("ana", "support", &number.to_string()).await;
    }
    server
}

#[tokio::test]
async fn senders_have_extras_only_while_shows_sender_extras_is_on() {
    let shop = Shop::without_webhooks().await;
    let (room, bo) = (shop.room_of("ana").await, shop.agent("Bo").await);
    shop.assign_room(&room, &bo).await.data();
    shop.reply(&bo, &room, "from an agent").await.data();
    let (server, admin) = (&shop.server, shop.admin().await);
    let first = [("room_id", room.as_str())];
    let range = [&first[..], &[("first_comment_id", "1"), ("last_comment_id", "9007199254740991")]];
    let range = range.concat();
    let loaded = async || {
        let pages = [
            server.get("load_comments", &first).await.results(),
            server
                .get("load_comments", &[&first[..], &[("page", "1"), ("limit", "100")]].concat())
                .await
                .results(),
            server.get("load_comments_with_range", &range).await.results(),
        ];
        pages.map(|page| {
            let of = |name: &str| {
                let comments = items(&page["comments"]);
                let comment = comments.iter().find(|it| it["message"] == name).expect("a message");
                comment["user"].get("extras").cloned()
            };
            [of("hello"), of("from an agent")]
        })
    };
    assert_eq!(loaded().await, [[None, None], [None, None], [None, None]]);
    let set = |is_on: bool| json!({"shows_sender_extras": is_on});
    bo.patch("/api/v2/settings", set(true)).await.errors(403, "forbidden");
    admin.patch("/api/v2/settings", set(true)).await.data();
    let customer = Some(json!({"is_customer": true, "type": "customer"}));
    let agent = Some(json!({"is_customer": false, "type": "agent"}));
    for page in loaded().await {
        assert_eq!(page, [customer.clone(), agent.clone()]);
    }
    admin.patch("/api/v2/settings", set(false)).await.data();
    assert_eq!(loaded().await, [[None, None], [None, None], [None, None]]);
}

/// Returns the texts of messages `from` down to `to`.
fn down(from: usize, to: usize) -> Vec<String> {
    (to..=from).rev().map(|number| number.to_string()).collect()
}

#[tokio::test]
async fn a_loaded_text_message_has_no_payload_and_its_sender_no_extras() {
    let server = TestServer::with_support_room().await;
    let profile = json!({
        "user_id": "ana", "username": "Ana", "avatar_url": "https://img.example/ana.png",
        "extras": {"level": 3},
    });
    server.post("login_or_register", profile).await.results();
    let posted = server.post_comment("ana", "support", "hello").await;
    let results = server.get("load_comments", &[("room_id", "support")]).await.results();
    assert_eq!(keys(&results), ["comments"]);
    let comment = &results["comments"][0];
    assert_eq!(keys(comment), keys(&posted));
    assert_eq!(comment["payload"], Value::Null);
    let user = json!({
        "user_id": "ana", "username": "Ana", "avatar_url": "https://img.example/ana.png",
    });
    assert_eq!(comment["user"], user);
    for field in ["id", "unique_id", "unique_temp_id", "message", "extras", "timestamp", "type"] {
        assert_eq!(comment[field], posted[field], "{field}");
    }
}

#[tokio::test]
async fn a_page_has_twenty_messages_newest_first_by_default() {
    let server = room_of(45).await;
    assert_eq!(server.page("support", &[]).await, down(45, 26));
    assert_eq!(server.page("support", &[("page", "1")]).await, down(45, 26));
    assert_eq!(server.page("support", &[("page", "2")]).await, down(25, 6));
    assert_eq!(server.page("support", &[("page", "3")]).await, down(5, 1));
    for past in ["4", "1000000", "9223372036854775807"] {
        assert!(server.page("support", &[("page", past)]).await.is_empty(), "page {past}");
    }
}

#[tokio::test]
async fn a_page_has_at_most_100_messages_and_an_invalid_limit_means_20() {
    let server = room_of(101).await;
    for (limit, newest) in [("1", 101), ("21", 101), ("100", 101)] {
        let size: usize = limit.parse().expect("a number");
        let page = server.page("support", &[("limit", limit)]).await;
        assert_eq!(page, down(newest, newest + 1 - size), "limit {limit}");
    }
    assert_eq!(server.page("support", &[("limit", "100"), ("page", "2")]).await, ["1"]);
    for odd in ["101", "1000", "0", "-1", "many", "", "1.5", "99999999999999999999"] {
        let page = server.page("support", &[("limit", odd)]).await;
        assert_eq!(page, down(101, 82), "limit {odd:?}");
    }
}

#[tokio::test]
async fn an_invalid_page_number_means_the_first_page() {
    let server = room_of(3).await;
    for odd in ["0", "-1", "first", "", "1.5"] {
        let page = server.page("support", &[("limit", "2"), ("page", odd)]).await;
        assert_eq!(page, ["3", "2"], "page {odd:?}");
    }
}

#[tokio::test]
async fn deleted_messages_are_omitted_and_leave_no_gaps_in_pages() {
    let server = room_of(30).await;
    let comments = server.load_comments("support").await;
    let id_of = |number: usize| unique_id(&comments[30 - number]);
    for deleted in [[30, 29, 25], [10, 9, 1]] {
        server.delete_messages(&deleted.map(id_of)).await.results();
    }
    let left: Vec<_> = down(30, 1)
        .into_iter()
        .filter(|number| !["30", "29", "25", "10", "9", "1"].contains(&number.as_str()))
        .collect();
    assert_eq!(server.texts("support").await, left);
    for size in [1, 5, 7, 20] {
        let mut paged: Vec<String> = Vec::new();
        for page in 1.. {
            let (limit, number) = (size.to_string(), page.to_string());
            let texts = server.page("support", &[("limit", &limit), ("page", &number)]).await;
            assert_eq!(texts.len(), size.min(left.len() - paged.len()), "page {page} of {size}");
            if texts.is_empty() {
                break;
            }
            paged.extend(texts);
        }
        assert_eq!(paged, left, "pages of {size}");
    }
}

#[tokio::test]
async fn a_room_without_messages_has_an_empty_page_and_an_unknown_room_is_not_found() {
    let server = TestServer::with_support_room().await;
    assert!(server.page("support", &[]).await.is_empty());
    for room in ["nowhere", "17", "99999999999999999999"] {
        let answer = server.get("load_comments", &[("room_id", room)]).await;
        answer.refused(404, "room_not_found").says(room);
    }
    server.get("load_comments", &[]).await.refused(400, "invalid_request").says("room_id is req");
    let answer = server.get("load_comments", &[("room_id", "")]).await;
    answer.refused(400, "invalid_request").says("room_id");
}

#[tokio::test]
async fn a_loaded_message_has_the_current_name_of_its_sender() {
    let server = room_of(1).await;
    let profile = json!({"user_id": "ana", "username": "Ana the second"});
    server.post("login_or_register", profile).await.results();
    server.delete("deactivate_users", json!({"user_ids": ["ana"]})).await.results();
    let comment = server.load_comments("support").await.remove(0);
    assert_eq!(comment["user"]["username"], "Ana the second");
}

#[tokio::test]
async fn messages_of_one_room_are_not_listed_in_another() {
    let server = room_of(2).await;
    server.create_room("other", &["ana"]).await;
    server.post_comment("ana", "other", "elsewhere").await;
    assert_eq!(server.texts("support").await, ["2", "1"]);
    assert_eq!(server.texts("other").await, ["elsewhere"]);
}

/// Loads the room with this `Accept-Encoding`; returns the response's encoding and bytes.
async fn loaded_as(server: &TestServer, query: &str, accepts: &str) -> (String, Vec<u8>) {
    let request = server.request(Method::GET, &format!("load_comments?room_id=support{query}"));
    let answer = request.header("Accept-Encoding", accepts).send().await.expect("an answer");
    assert_eq!(answer.status(), 200);
    let coding = answer.headers().get("content-encoding");
    let coding = coding.map(|it| it.to_str().expect("text").to_owned()).unwrap_or_default();
    (coding, answer.bytes().await.expect("a body").to_vec())
}

fn unzipped(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(bytes).read_to_end(&mut plain).expect("gzip");
    plain
}

#[tokio::test]
async fn a_page_of_2_kib_or_more_is_compressed_if_the_caller_accepts_gzip() {
    let server = room_of(25).await;
    for query in ["", "", "&page=2", "&limit=100"] {
        let (coding, plain) = loaded_as(&server, query, "identity").await;
        assert_eq!(coding, "");
        let (coding, zipped) = loaded_as(&server, query, "br, gzip").await;
        let is_small = plain.len() < 2_048;
        assert_eq!((coding.as_str(), is_small), (if is_small { "" } else { "gzip" }, is_small));
        if !is_small {
            assert!(zipped.len() < plain.len() / 2, "{} of {}", zipped.len(), plain.len());
            assert_eq!(unzipped(&zipped), plain, "{query}");
        }
        assert_eq!(loaded_as(&server, query, "gzip;q=0").await, (String::new(), plain));
    }
    let (coding, _) = loaded_as(&server, "&limit=2", "gzip").await;
    assert_eq!(coding, "", "a small page is not compressed");
}

#[tokio::test]
async fn a_streamed_page_is_compressed_too() {
    let server = TestServer::with_support_room().await;
    for number in 0..100 {
        let payload = json!({"type": "blob", "content": format!("{number} ").repeat(2_000)});
        server.post_typed("ana", "support", "custom", payload).await.results();
    }
    let (_, plain) = loaded_as(&server, "&limit=100", "identity").await;
    assert!(plain.len() > 400_000, "{}", plain.len());
    let (coding, zipped) = loaded_as(&server, "&limit=100", "gzip").await;
    assert_eq!(coding, "gzip");
    assert_eq!(unzipped(&zipped), plain);
}

#[tokio::test]
async fn a_page_number_that_is_too_large_is_refused() {
    let server = room_of(1).await;
    for page in ["99999999999999999999", "18446744073709551616"] {
        let query = [("room_id", "support"), ("page", page)];
        let refused = server.get("load_comments", &query).await.refused(400, "invalid_request");
        refused.says("page must be at most 9223372036854775807");
    }
}
