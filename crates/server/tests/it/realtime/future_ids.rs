//! Ids and cursors of the future, and nodes without a connecting bus: no client misses an event.
//!
//! The tests of two nodes run on PostgreSQL regardless of the engine of the others.

use confab_domain::ids::EventId;
use confab_domain::time::Timestamp;
use confab_test_servers::nats;
use confab_test_servers::postgres::shared;

use super::watcher::Watcher;
use crate::support::answer::each;
use crate::support::client::Client;
use crate::support::test_server::TestServer;
use crate::support::waiting::until_so;

const HOUR_US: i64 = 3600 * 1_000_000;

fn message(text: &str) -> (String, String) {
    ("message".to_owned(), text.to_owned())
}

/// Returns the least id that can be created in an hour.
fn id_in_an_hour() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    EventId::first_at(Timestamp(now.expect("after 1970").as_micros() as i64 + HOUR_US)).0
}

/// Encodes an id as it is in a cursor.
fn base_36(mut id: i64) -> String {
    let mut digits = Vec::new();
    while id > 0 {
        digits.push(char::from_digit((id % 36) as u32, 36).expect("a digit"));
        id /= 36;
    }
    digits.into_iter().rev().collect()
}

/// Makes new nodes create ids above all stored ones, as a node does whose clock is an hour ahead.
fn make_ids_lie_in_the_future(database: &str) {
    shared().psql_at(
        database,
        &format!(
            "INSERT INTO nodes (node, holder, batch, newest_id, seen_at) \
             VALUES (40, 'gone', 0, {}, '-infinity')",
            id_in_an_hour() + 40
        ),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_with_future_ids_hides_no_messages_of_other_nodes() {
    let (one, two) = TestServer::start_two_unlike(
        &shared().new_schema(),
        [&[], &[]],
        make_ids_lie_in_the_future,
    )
    .await;
    one.furnish().await;
    for room in ["ahead", "behind"] {
        one.create_room(room, &["ana", "bob"]).await;
    }
    let (mut ana, mut bob) = (Watcher::start(&two, "ana").await, Watcher::start(&one, "bob").await);
    for round in 0..3 {
        let (early, late) = (format!("{round} early"), format!("{round} late"));
        let ahead = two.post_comment("ana", "ahead", &early).await;
        assert!(ahead["id"].as_i64().expect("an id") > id_in_an_hour() - (1 << 40));
        for watcher in [&mut ana, &mut bob] {
            assert_eq!(watcher.next_text().await, message(&early));
        }
        one.post_comment("bob", "behind", &late).await;
        for watcher in [&mut ana, &mut bob] {
            assert_eq!(watcher.next_text().await, message(&late));
        }
    }
    let (at_two, at_one) = (ana.vanish(), bob.vanish());
    one.post_comment("bob", "behind", "meanwhile, now").await;
    two.post_comment("ana", "ahead", "meanwhile, ahead").await;
    for (node, seen) in [(&one, &at_two), (&two, &at_two), (&one, &at_one), (&two, &at_one)] {
        let mut ana = Watcher::resume(node, "ana", seen).await;
        let mut missed = [ana.next_text().await, ana.next_text().await];
        missed.sort();
        assert_eq!(missed, [message("meanwhile, ahead"), message("meanwhile, now")]);
    }
}

#[tokio::test]
async fn a_client_with_a_future_cursor_must_resync_and_then_receives_messages() {
    let server = TestServer::with_support_room().await;
    server.post_comment("ana", "support", "before").await;
    let future = base_36(id_in_an_hour());
    for cursor in [future.clone(), format!("1.{future}"), format!("{future}.{future}")] {
        let mut bob = Watcher::resume(&server, "bob", &cursor).await;
        assert_eq!(bob.next().await["type"], "resync", "{cursor}");
        server.post_comment("ana", "support", &cursor).await;
        assert_eq!(bob.next_text().await, message(&cursor));
    }
}

/// design/realtime.
#[tokio::test(flavor = "multi_thread")]
async fn syncing_from_a_future_id_returns_later_messages_of_another_node() {
    let (one, two) = TestServer::start_two_unlike(
        &shared().new_schema(),
        [&[], &[]],
        make_ids_lie_in_the_future,
    )
    .await;
    one.furnish().await;
    for room in ["ahead", "behind"] {
        one.create_room(room, &["ana", "bob"]).await;
    }
    let bob = Client::of(&one, "bob").await;
    let ahead = two.post_comment("ana", "ahead", "from the future").await["id"].to_string();
    one.post_comment("ana", "behind", "from now").await;
    let synced = bob.get("sync", &[("last_received_comment_id", &ahead)]).await.results();
    assert_eq!(each(&synced["comments"], "message"), ["from now"]);
}

/// As during an upgrade from a version whose packets this one cannot open.
#[tokio::test(flavor = "multi_thread")]
async fn nodes_with_separate_buses_report_a_warning_and_deliver_all_messages() {
    let (here, there) = (nats::Server::start(), nats::Server::start());
    let (here, there) = (here.url(), there.url());
    let settings: [&[(&str, &str)]; 2] = [&[("nats_url", &here)], &[("nats_url", &there)]];
    let (one, two) = TestServer::start_two_unlike(&shared().new_schema(), settings, |_| {}).await;
    one.furnish().await;
    let mut bob = Watcher::start(&two, "bob").await;
    for text in ["one", "two", "three"] {
        one.post_comment("ana", "support", text).await;
        assert_eq!(bob.next_text().await, message(text));
    }
    let mut posted = 0;
    until_so("the node reports the warning", async || {
        posted += 1;
        one.post_comment("ana", "support", &format!("more {posted}")).await;
        let ready = two.ready().await;
        assert_eq!(ready.status, 200);
        ready.json()["warning"].as_str().is_some_and(|it| it.contains("from another node"))
    })
    .await;
    for number in 1..=posted {
        assert_eq!(bob.next_text().await, message(&format!("more {number}")));
    }
}
