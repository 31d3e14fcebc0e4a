//! Search in messages and customers (D-0145).

use confab_domain::support::conversations::index_state::IndexState;
use confab_domain::support::conversations::indexing::IndexStep;
use confab_domain::time::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{each, text};
use crate::support::caller::{sent, with_json};
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::waiting::until;
use crate::support::world::World;

const SEARCH: &str = "/api/v2/search";

async fn search(by: &Worker, query: &[(&str, &str)]) -> Value {
    let answer = by.get(SEARCH, query).await.json();
    assert_eq!(answer["status"], 200, "{answer}");
    answer
}

/// Returns the results of a search once everything is indexed.
async fn found(by: &Worker, query: &[(&str, &str)]) -> Value {
    until("everything is indexed", async || {
        let page = search(by, query).await;
        page["meta"]["indexed_until"].is_null().then_some(page)
    })
    .await
}

/// Returns the texts of the matching messages.
async fn texts(by: &Worker, words: &str) -> Vec<String> {
    let page = found(by, &[("q", words)]).await;
    each(&page["data"]["messages"], "text_cut").into_iter().map(str::to_owned).collect()
}

/// Returns the texts of all matching messages, read in pages of this size, and the number of
/// matching customers.
async fn page_by_page(by: &Worker, words: &str, limit: &str) -> (Vec<String>, usize) {
    let (mut read, mut contacts, mut cursor) = (Vec::new(), 0, String::new());
    loop {
        let page = search(by, &[("q", words), ("limit", limit), ("cursor", &cursor)]).await;
        let some = each(&page["data"]["messages"], "text_cut");
        assert!(some.len() <= limit.parse().expect("a number"), "{page}");
        read.extend(some.into_iter().map(str::to_owned));
        contacts += page["data"]["contacts"].as_array().expect("contacts").len();
        match page["meta"]["after"].as_str() {
            Some(after) => cursor = after.to_owned(),
            None => return (read, contacts),
        }
    }
}

#[tokio::test]
async fn words_prefixes_and_numbers_are_found_newest_first() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let ann = office.customer("ann").await;
    for message in ["Pesanan #1024 sudah dikirim?", "Where is my ORDER 1024", "Terima kasih, kak"] {
        office.says(&ann, message).await;
    }
    let order = "Where is my ORDER 1024";
    assert_eq!(texts(&admin, "order").await, [order]);
    assert_eq!(texts(&admin, "Ord").await, [order], "a prefix matches");
    assert_eq!(texts(&admin, "1024").await, [order, "Pesanan #1024 sudah dikirim?"]);
    assert_eq!(texts(&admin, "kirim").await, [""; 0], "the middle of a word does not match");
    assert_eq!(texts(&admin, "dikirim pesan").await.len(), 1, "all words match in any order");
    assert_eq!(
        texts(&admin, "dikirim kasih").await,
        [""; 0],
        "words of different messages do not match"
    );
    assert_eq!(texts(&admin, "orders").await, [""; 0], "words are not stemmed");
    let page = found(&admin, &[("q", "order")]).await;
    let message = &page["data"]["messages"][0];
    assert_eq!(message["matches"], json!([[12, 17]]));
    assert_eq!(
        (&message["room_id"], &message["sender"]["id"]),
        (&json!(ann.room()), &json!(ann.key.0))
    );
    assert_eq!(message["row"]["room_id"], json!(ann.room()));
    for field in ["comment_id", "unique_id", "at"] {
        assert!(!text(&message[field]).is_empty(), "{field}");
    }
}

#[tokio::test]
async fn customers_are_found_by_their_names_and_after_a_rename() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let ann = office.waiting("ann-77").await;
    office.waiting("eve").await;
    let names = async |words: &str| {
        let page = found(&admin, &[("q", words), ("in", "contacts")]).await;
        assert_eq!(page["data"]["messages"], json!([]));
        let names = each(&page["data"]["contacts"], "name");
        names.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names("77").await, ["ANN-77"]);
    assert_eq!(names("an").await, ["ANN-77"]);
    let path = format!("/api/v2/contacts/{}", ann.key);
    let rename = with_json(admin.request(Method::PATCH, &path), &json!({"name": "Siti Rahma"}));
    sent(rename).await.data();
    assert_eq!(names("rahm").await, ["Siti Rahma"]);
    let page = found(&admin, &[("q", "rahm")]).await;
    let contact = &page["data"]["contacts"][0];
    assert_eq!((&contact["rooms"], &contact["channel_name"]), (&json!(1), &json!("Shop")));
}

#[tokio::test]
async fn searches_find_only_messages_and_customers_that_the_caller_may_see() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    office.set("is_agent_takeover_enabled", "false").await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.customer("ann").await;
    office.says(&ann, "a secret word").await;
    office.assign(&ann, &bo).await.data();
    let other = World::of_app(&server, &server.create_app("other").await).await;
    let stranger = other.admin().await;
    let theirs = other.customer("ann").await;
    other.says(&theirs, "their secret").await;
    let seen = async |by: &Worker, words: &str| {
        let page = found(by, &[("q", words)]).await;
        let count = |list: &str| page["data"][list].as_array().expect("a list").len();
        (count("messages"), count("contacts"))
    };
    assert_eq!(texts(&admin, "secret").await, ["a secret word"]);
    assert_eq!(texts(&stranger, "secret").await, ["their secret"]);
    for (by, expected) in [(&admin, 1), (&bo, 1), (&cy, 0), (&stranger, 1)] {
        assert_eq!(seen(by, "secret").await, (expected, 0));
        assert_eq!(seen(by, "ann").await, (0, expected));
    }
    let by_key = office.get(SEARCH, &[("q", "secret")]).await.json();
    let all = each(&by_key["data"]["messages"], "text_cut");
    assert_eq!(all, ["a secret word"], "the app's secret key sees all messages");
    sent(server.bare(Method::GET, &format!("{SEARCH}?q=secret"))).await.errors(401, "unauthorized");
}

#[tokio::test]
async fn visible_messages_are_found_behind_many_that_the_agent_may_not_see() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    office.set("is_agent_takeover_enabled", "false").await;
    let bo = office.agent("Bo").await;
    let (mine, other) = (office.customer("parcel-ann").await, office.customer("parcel-cleo").await);
    office.says(&mine, "parcel of mine 1").await;
    office.says(&mine, "parcel of mine 2").await;
    for number in 1..=7 {
        office.says(&other, &format!("parcel of somebody {number}")).await;
    }
    office.assign(&mine, &bo).await.data();
    assert_eq!(texts(&bo, "parcel").await, ["parcel of mine 2", "parcel of mine 1"]);
    // With one result per page, the index is queried for two hits, then for the rest.
    let (read, contacts) = page_by_page(&bo, "parcel", "1").await;
    assert_eq!(read, ["parcel of mine 2", "parcel of mine 1"]);
    assert_eq!(contacts, 1);
}

#[tokio::test]
async fn edited_messages_are_found_by_their_new_text_and_deleted_ones_not_at_all() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let ann = office.waiting("ann").await;
    let messages = format!("/api/v2/customer_rooms/{}/messages", ann.room());
    let posted = admin.post(&messages, json!({"message": "the frist price"})).await.data();
    assert_eq!(texts(&admin, "frist").await, ["the frist price"]);
    let path = format!("{messages}/{}", text(&posted["comment"]["unique_id"]));
    let body = json!({"message": "the first price"});
    sent(with_json(admin.request(Method::PATCH, &path), &body)).await.data();
    assert_eq!(texts(&admin, "frist").await, [""; 0]);
    assert_eq!(texts(&admin, "first price").await, ["the first price"]);
    admin.delete(&path).await.data();
    assert_eq!(texts(&admin, "price").await, [""; 0]);
}

#[tokio::test]
async fn search_results_are_paged_completely() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let ann = office.customer("parcel-ann").await;
    for number in 1..=5 {
        office.says(&ann, &format!("parcel {number}")).await;
    }
    let all = texts(&admin, "parcel").await;
    assert_eq!(all, ["parcel 5", "parcel 4", "parcel 3", "parcel 2", "parcel 1"]);
    for limit in ["1", "2", "4", "5"] {
        let (read, contacts) = page_by_page(&admin, "parcel", limit).await;
        assert_eq!((read, contacts), (all.clone(), 1), "{limit} a page");
    }
}

#[tokio::test]
async fn invalid_searches_are_refused_and_query_syntax_is_harmless() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let long = "x".repeat(5_000);
    for wrong in [
        [("q", ""), ("limit", "5")],
        [("q", "…!"), ("limit", "5")],
        [("q", &long), ("limit", "5")],
        [("q", "a"), ("in", "rooms")],
        [("q", "a"), ("cursor", "m-1")],
    ] {
        admin.get(SEARCH, &wrong).await.errors(400, "invalid_request");
    }
    for odd in ["\"", "a\" OR \"b", "a*", "NEAR(a b)", "a:b", "-a", "'':*", "a & b | !c", "İı ß"]
    {
        let answer = admin.get(SEARCH, &[("q", odd)]).await;
        assert!([200, 400].contains(&answer.status), "{odd}: {}", answer.text);
    }
}

#[tokio::test]
async fn search_responses_show_the_progress_of_an_incomplete_index() {
    // No background task writes the index here.
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let page = search(&admin, &[("q", "hello")]).await;
    assert_eq!(page["meta"]["indexed_until"], Value::Null, "nothing waits to be indexed");
    office.waiting("ann").await;
    let page = search(&admin, &[("q", "hello")]).await;
    assert!(page["meta"]["indexed_until"].is_string(), "{page}");
    assert_eq!(page["data"]["messages"], json!([]));
}

#[tokio::test]
async fn the_only_process_continues_the_search_index_of_a_killed_one() {
    let server = TestServer::start_embedded().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let ann = office.customer("ann").await;
    office.says(&ann, "the first needle").await;
    assert_eq!(texts(&admin, "needle").await.len(), 1);
    // The state that a process leaves if it is killed right after a write.
    let state = server.store.index_state().await.expect("read");
    let (holder, held_until) = ("killed".to_owned(), Timestamp(i64::MAX - 1));
    let state = IndexState { holder, held_until, ..state };
    let (messages, contacts, now) = (Vec::new(), Vec::new(), Timestamp(i64::MAX));
    let step = IndexStep { messages, contacts, state, now };
    server.store.write_index(step).await.expect("written");
    office.says(&ann, "the second needle").await;
    assert_eq!(texts(&admin, "needle").await, ["the second needle", "the first needle"]);
}

#[tokio::test]
async fn a_rebuilt_search_index_finds_the_same_messages_and_customers() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let ann = office.customer("ann").await;
    for number in 0..450 {
        office.says(&ann, &format!("needle {number}")).await;
    }
    assert_eq!(texts(&admin, "needle 449").await, ["needle 449"]);
    confab_store::rebuild_search(&server.location()).await.expect("emptied");
    let behind = server.store.index_state().await.expect("read");
    assert!(behind.generation > 0);
    let complete = found(&admin, &[("q", "needle 449")]).await;
    assert_eq!(each(&complete["data"]["messages"], "text_cut"), ["needle 449"]);
    assert_eq!(texts(&admin, "needle 0").await.len(), 1);
    assert_eq!(found(&admin, &[("q", "ann")]).await["data"]["contacts"][0]["name"], "ANN");
}
