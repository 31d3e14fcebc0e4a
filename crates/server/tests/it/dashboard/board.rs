//! The board: queue, agents and channels at a glance.

use confab_domain::agents::role::Role;
use serde_json::{Value, json};

use crate::support::answer::keys;
use crate::support::caller::sent;
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::World;

const BOARD: &str = "/api/v2/board";

async fn board(by: &Worker) -> Value {
    by.get(BOARD, &[]).await.data()
}

#[tokio::test]
async fn the_board_shows_queue_agents_and_channels_to_supervisors_and_admins() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let sue = office.worker("Sue", Role::Supervisor, &[]).await;
    let empty = board(&sue).await;
    assert_eq!(keys(&empty), ["agents", "channels", "queue"]);
    let empty_queue = json!({"waiting": 0, "longest_wait_since": null, "bot": 0, "open": 0});
    assert_eq!(empty["queue"], empty_queue);
    let mail = office.open_channel("Mail").await;
    let (ann, _ben) = (office.waiting("ann").await, office.waiting("ben").await);
    let cid = office.customer_of(mail, "cid").await;
    office.says(&cid, "hello").await;
    office.assign(&ann, &bo).await.data();
    let division = office.post("/api/v2/divisions", json!({"name": "Sales"})).await.data();
    let change = json!({"division_ids": [division["id"]]});
    office.post(&format!("/api/v2/admin/agent/{}/update", bo.id), change).await.data();
    let seen = board(&sue).await;
    assert_eq!(seen["queue"]["waiting"], 2);
    assert_eq!((&seen["queue"]["bot"], &seen["queue"]["open"]), (&json!(0), &json!(3)));
    assert!(seen["queue"]["longest_wait_since"].is_string());
    let by_id = |list: &str, id: i64| {
        let found = seen[list].as_array().expect("a list").iter().find(|it| it["id"] == id);
        found.unwrap_or_else(|| panic!("{id} in {seen}")).clone()
    };
    let shown = by_id("agents", bo.id);
    assert_eq!(
        shown,
        json!({
            "id": bo.id, "name": "Bo", "avatar_url": null, "role": "agent", "is_available": true,
            "force_offline": false, "serves": 1, "serves_max": 10, "last_seen_at": null,
            "divisions": ["Sales"],
        })
    );
    assert_eq!(by_id("agents", admin.id)["serves_max"], Value::Null);
    let shop = by_id("channels", office.channel.0);
    assert_eq!((&shop["open"], &shop["waiting"]), (&json!(2), &json!(1)));
    let mail = by_id("channels", mail.0);
    let expected = json!({
        "id": mail["id"], "name": "Mail", "source": "custom", "open": 1, "waiting": 1,
    });
    assert_eq!(mail, expected);
    admin.resolve(&ann.room()).await.data();
    assert_eq!(board(&admin).await["queue"]["open"], 2);
}

#[tokio::test]
async fn the_board_is_refused_to_agents_and_shows_one_app_only() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    office.waiting("ann").await;
    let bo = office.agent("Bo").await;
    bo.get(BOARD, &[]).await.errors(403, "forbidden");
    sent(server.bare(reqwest::Method::GET, BOARD)).await.errors(401, "unauthorized");
    let other = World::without_channel(&server, &server.create_app("other").await).await;
    let eve = other.admin().await;
    let seen = board(&eve).await;
    assert_eq!((&seen["queue"]["open"], &seen["channels"]), (&json!(0), &json!([])));
    assert_eq!(seen["agents"].as_array().map(Vec::len), Some(1));
    assert!(
        office.get(BOARD, &[]).await.data()["queue"]["open"] == 1,
        "the app's secret key may read the board"
    );
}
