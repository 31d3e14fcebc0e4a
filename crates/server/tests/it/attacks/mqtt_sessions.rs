//! Sessions of disconnected MQTT clients do not take the memory of other users (D-0042).

use confab_domain::limits;

use crate::realtime::mqtt::client::called;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn a_user_who_leaves_many_sessions_behind_loses_their_own_oldest_and_nobody_elses() {
    let server = TestServer::with_support_room().await;
    let (ana, bob) = (server.token("ana").await, server.token("bob").await);
    let of_ana = || called("ana-phone").with_token(&ana).lasting().by_tcp(&server);
    of_ana().await.leave().await;
    let many = limits::MQTT_SESSIONS_AWAY_OF_USER_MAX + 5;
    let of_bob = |number: usize| {
        let called = called(&format!("bob-{number}")).with_token(&bob).lasting();
        async { called.by_tcp(&server).await }
    };
    for number in 0..many {
        of_bob(number).await.leave().await;
    }
    assert!(of_ana().await.has_session(), "a stranger's sessions are theirs");
    let mut found = Vec::new();
    let mut connected = Vec::new();
    for number in 0..many {
        let client = of_bob(number).await;
        found.push(client.has_session());
        connected.push(client);
    }
    let kept = found.iter().filter(|it| **it).count();
    assert_eq!(kept, limits::MQTT_SESSIONS_AWAY_OF_USER_MAX);
    assert_eq!(found[..5], [false; 5], "the oldest gave way");
}
