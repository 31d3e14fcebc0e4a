//! Changing an endpoint's URL: failures at the old URL no longer count, but stay logged.

use confab_test_servers::receiver::{Receiver, Reply};
use serde_json::{Value, json};

use crate::support::answer::{each, items, text};
use crate::support::hooks::Hooks;
use crate::support::test_server::TestServer;
use crate::support::waiting::until_so;

/// Creates an endpoint whose circuit breaker is open; returns its receiver and deliveries.
async fn failing_endpoint(server: &TestServer) -> (Receiver, Vec<i64>) {
    let dead = Receiver::replying(|_| Reply::status(500).body("down")).await;
    server.tell("bot", &format!("{}/old", dead.base), &json!({})).await;
    let mut ids = Vec::new();
    for room in server.open_rooms(12).await {
        ids.push(server.trigger("bot", Some(&room)).await);
    }
    until_so("the circuit breaker is open", async || {
        let endpoints = Hooks::of(server).get("/endpoints", &[]).await.data();
        endpoints["endpoints"][0]["state"] == "failing"
    })
    .await;
    (dead, ids)
}

#[tokio::test]
async fn a_new_url_receives_the_waiting_deliveries_and_each_attempt_shows_its_url() {
    let server = TestServer::start().await;
    let (dead, ids) = failing_endpoint(&server).await;
    let alive = Receiver::start().await;
    let (old, new) = (format!("{}/old", dead.base), format!("{}/new", alive.base));
    server.tell("bot", &new, &json!({})).await;
    alive.takes(&ids).await;
    server.nothing_waits().await;
    for id in ids {
        let delivery = server.delivery(id).await;
        assert_eq!(delivery["url"], new, "{delivery}");
        let attempts = &delivery["attempt_list"];
        let went_to = each(attempts, "url");
        assert_eq!(went_to.last(), Some(&new.as_str()), "{delivery}");
        assert!(went_to[..went_to.len() - 1].iter().all(|url| *url == old), "{delivery}");
    }
    let logs = server.get("webhook_logs", &[("limit", "100")]).await.results();
    let of_log = |log: &Value| (log["is_success"] == true, text(&log["endpoint"]).to_owned());
    let logged: Vec<_> = items(&logs["webhook_logs"]).iter().map(of_log).collect();
    assert!(logged.contains(&(true, new.clone())) && logged.contains(&(false, old.clone())));
    assert!(!logged.contains(&(false, new)) && !logged.contains(&(true, old)), "{logged:?}");
}

/// Also directly after deliveries to the old URL.
#[tokio::test]
async fn deliveries_created_after_a_url_change_go_to_the_new_url() {
    let server = TestServer::start().await;
    let receivers = [Receiver::start().await, Receiver::start().await];
    for turn in 0..6 {
        let now = &receivers[turn % 2];
        server.tell("bot", &now.base, &json!({})).await;
        now.takes(&[server.trigger("bot", None).await]).await;
    }
}

#[tokio::test]
async fn a_finished_delivery_shows_the_url_that_it_was_sent_to() {
    let server = TestServer::start().await;
    let first = Receiver::start().await;
    server.tell("bot", &first.base, &json!({})).await;
    let id = server.trigger("bot", None).await;
    server.attempted(id, 1).await;
    let second = Receiver::start().await;
    server.tell("bot", &second.base, &json!({})).await;
    let went_to = format!("{}/", first.base.trim_end_matches('/'));
    for shown in [server.delivery(id).await["url"].take(), listed(&server).await] {
        assert_eq!(format!("{}/", text(&shown).trim_end_matches('/')), went_to);
    }
}

async fn listed(server: &TestServer) -> Value {
    Hooks::of(server).get("/deliveries", &[]).await.data()["deliveries"][0]["url"].take()
}
