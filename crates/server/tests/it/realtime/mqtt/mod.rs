//! MQTT 3.1.1 as the SDKs use it (wire facts 4.4).

mod bad_clients;
pub(crate) mod client;
mod presence;
mod real_clients;
mod rights;
mod rooms;
mod sessions;

use client::{MqttClient, called};

use crate::support::test_server::TestServer;

/// Connects a user's client over TCP, subscribed to the user's events.
pub(crate) async fn client_of(server: &TestServer, user: &str) -> (MqttClient, String) {
    let token = server.token(user).await;
    let mut client = called(&format!("shop_{user}_1")).by_tcp(server).await;
    let [c, n, update] = ["c", "n", "update"].map(|it| format!("{token}/{it}"));
    assert_eq!(client.subscribe(&[&c, &n, &update]).await, "000");
    (client, token)
}

/// Returns the id of the room called support.
pub(super) async fn support_room(server: &TestServer) -> String {
    let results = server.get("get_rooms_info", &[("room_ids[]", "support")]).await.results();
    results["rooms"][0]["room_id"].as_str().expect("a room id").to_owned()
}
