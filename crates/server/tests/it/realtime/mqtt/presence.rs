//! Presence as the SDKs publish and read it.

use confab_domain::app::AppCode;
use confab_domain::people::user::UserId;

use super::client::called;
use super::client_of;
use crate::support::test_server::TestServer;

/// Returns `1` or `0`, after checking that the rest is the current time in milliseconds.
fn state(payload: &str) -> char {
    let (state, ms) = payload.split_once(':').expect("a colon");
    assert_eq!(ms.len(), 13, "{payload}");
    let now = std::time::UNIX_EPOCH.elapsed().expect("a time").as_millis() as i64;
    let ms: i64 = ms.parse().expect("a number");
    assert!((now - ms).abs() < 60_000, "{payload} at {now}");
    assert_eq!(state.len(), 1, "{payload}");
    state.chars().next().expect("a state")
}

#[tokio::test]
async fn a_bare_presence_gets_a_time_and_is_retained_for_later_subscribers() {
    let server = TestServer::with_support_room().await;
    let (mut ana, _) = client_of(&server, "ana").await;
    let (mut bob, _) = client_of(&server, "bob").await;
    assert_eq!(bob.subscribe(&["u/ana/s"]).await, "0");
    ana.publish("u/ana/s", "1").await;
    let (topic, payload) = bob.shown().await;
    assert_eq!((topic.as_str(), state(&payload)), ("u/ana/s", '1'));

    let (mut later, _) = client_of(&server, "bob").await;
    assert_eq!(later.subscribe(&["u/ana/s"]).await, "0");
    let retained = later.message().await;
    assert!(retained.flags().retain, "the message is a retained one");
    assert_eq!(retained.payload(), payload.as_bytes(), "with its original time");
}

#[tokio::test]
async fn only_changes_of_presence_published_by_the_user_are_sent() {
    let server = TestServer::with_support_room().await;
    let (mut ana, _) = client_of(&server, "ana").await;
    let (mut bob, _) = client_of(&server, "bob").await;
    assert_eq!(bob.subscribe(&["u/ana/s"]).await, "0");
    bob.publish("u/ana/s", "1").await;
    ana.publish("u/ana/s", "nonsense").await;
    for payload in ["1", "1:1700000000000", "1", "1"] {
        ana.publish("u/ana/s", payload).await;
    }
    ana.publish("u/ana/s", "0").await;
    ana.publish("u/ana/s", "").await;
    ana.publish("u/ana/s", "1").await;
    let mut states = String::new();
    for _ in 0..3 {
        states.push(state(&bob.shown().await.1));
    }
    assert_eq!(states, "101");
}

#[tokio::test]
async fn a_client_whose_connection_is_lost_becomes_offline_with_any_will() {
    let server = TestServer::with_support_room().await;
    let token = server.token("ana").await;
    let (mut bob, _) = client_of(&server, "bob").await;
    assert_eq!(bob.subscribe(&["u/ana/s"]).await, "0");
    // Wills of the JavaScript core, of its version 3, and of Android.
    for will in ["", "0", "0:1700000000000"] {
        let beginning = called("shop_ana_1").with_will("u/ana/s", will);
        let mut ana = beginning.by_tcp(&server).await;
        assert_eq!(ana.subscribe(&[&format!("{token}/c")]).await, "0");
        ana.publish("u/ana/s", "1").await;
        assert_eq!(state(&bob.shown().await.1), '1');
        drop(ana);
        assert_eq!(state(&bob.shown().await.1), '0', "with the will {will:?}");
    }
}

#[tokio::test]
async fn a_user_is_offline_only_after_their_last_connection_ends() {
    let server = TestServer::with_support_room().await;
    let token = server.token("ana").await;
    let (mut bob, _) = client_of(&server, "bob").await;
    assert_eq!(bob.subscribe(&["u/ana/s", "u/bob/s"]).await, "00");
    let mut phone = called("phone").by_tcp(&server).await;
    let mut laptop = called("laptop").by_web(&server).await;
    for client in [&mut phone, &mut laptop] {
        assert_eq!(client.subscribe(&[&format!("{token}/c")]).await, "0");
        client.publish("u/ana/s", "1").await;
    }
    phone.leave().await;
    bob.publish("u/bob/s", "1").await;
    laptop.leave().await;
    let mut events = Vec::new();
    for _ in 0..3 {
        let (topic, payload) = bob.shown().await;
        events.push(format!("{topic} {}", state(&payload)));
    }
    assert_eq!(events, ["u/ana/s 1", "u/bob/s 1", "u/ana/s 0"]);
}

#[tokio::test]
async fn another_node_sends_a_stored_presence_to_new_subscribers() {
    let (one, two) = TestServer::start_two().await;
    one.furnish().await;
    let (mut ana, _) = client_of(&one, "ana").await;
    let (mut bob, _) = client_of(&two, "bob").await;
    for expected in ['1', '0'] {
        ana.publish("u/ana/s", expected.to_string()).await;
        loop {
            assert_eq!(bob.subscribe(&["u/ana/s"]).await, "0");
            bob.ping().await;
            if bob.has_shown() && state(&bob.shown().await.1) == expected {
                break;
            }
        }
    }
}

#[tokio::test]
async fn changes_of_presence_are_stored() {
    let server = TestServer::with_support_room().await;
    let code = AppCode::parse("shop").expect("a code");
    let app = server.store.app(&code).await.expect("read").expect("an app");
    let ana_id = UserId::parse("user_id", "ana").expect("a user id");
    let key = server.store.user(app.id, &ana_id).await.expect("read").expect("a user").key;
    assert_eq!(server.store.presences(&[key]).await.expect("read"), []);
    let (mut ana, _) = client_of(&server, "ana").await;
    let written = async |is_online: bool| loop {
        let stored = server.store.presences(&[key]).await.expect("read");
        if stored.first().is_some_and(|(user, is, at)| (*user, *is) == (key, is_online) && at.0 > 0)
        {
            break;
        }
        tokio::task::yield_now().await;
    };
    ana.publish("u/ana/s", "1").await;
    written(true).await;
    ana.leave().await;
    written(false).await;
}
