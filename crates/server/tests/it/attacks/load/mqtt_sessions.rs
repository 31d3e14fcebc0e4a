//! Sessions of disconnected MQTT clients do not take the memory of other users (D-0042).

use confab_domain::limits;

use crate::realtime::mqtt::client::called;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn too_many_disconnected_sessions_of_a_user_evict_only_that_users_oldest() {
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
    assert!(of_ana().await.has_session(), "sessions of other users are retained");
    let mut found = Vec::new();
    let mut connected = Vec::new();
    for number in 0..many {
        let client = of_bob(number).await;
        found.push(client.has_session());
        connected.push(client);
    }
    let retained = found.iter().filter(|it| **it).count();
    assert_eq!(retained, limits::MQTT_SESSIONS_AWAY_OF_USER_MAX);
    assert_eq!(found[..5], [false; 5], "the oldest sessions were evicted");
}
