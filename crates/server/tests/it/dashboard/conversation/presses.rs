//! Results of pressed buttons (design/support).

use confab_domain::agents::role::Role;
use confab_test_servers::receiver::Receiver;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::caller::sent;
use crate::support::hooks::Hooks;
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::waiting::until;
use crate::support::world::World;

const BUTTONS: &str = "/api/v2/custom_buttons";

async fn press(by: &Worker, delivery: i64) -> Value {
    by.get(&format!("{BUTTONS}/presses/{delivery}"), &[]).await.data()["press"].take()
}

#[tokio::test]
async fn the_result_of_a_press_is_shown_to_its_agent_supervisors_and_admins() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let sue = office.worker("Sue", Role::Supervisor, &[]).await;
    let receiver = Receiver::start().await;
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let made = async |url: &str| {
        let body = json!({"label": "Ticket", "webhook_url": url});
        let made = admin.post(BUTTONS, body).await.data();
        made["custom_button"]["id"].as_i64().expect("an id")
    };
    let pressed = async |by: &Worker, button: i64| {
        let path = format!("{BUTTONS}/{button}/press");
        let pressed = by.post(&path, json!({"room_id": ann.room()})).await.data();
        pressed["delivery_id"].as_i64().expect("an id")
    };
    let id = pressed(&bo, made(&receiver.url).await).await;
    receiver.next().await;
    until("the press is done", async || (press(&bo, id).await["state"] == "done").then_some(()))
        .await;
    let done = json!({"delivery_id": id, "state": "done", "status_code": 200, "reason": null});
    for by in [&bo, &admin, &sue] {
        assert_eq!(press(by, id).await, done);
    }
    let path = format!("{BUTTONS}/presses/{id}");
    assert_eq!(office.get(&path, &[]).await.data()["press"], done);
    cy.get(&path, &[]).await.errors(404, "delivery_not_found");
    sent(server.bare(Method::GET, &path)).await.errors(401, "unauthorized");
    let other = World::of_app(&server, &server.create_app("other").await).await;
    other.admin().await.get(&path, &[]).await.errors(404, "delivery_not_found");
    for wrong in ["0", "x", "7"] {
        let path = format!("{BUTTONS}/presses/{wrong}");
        admin.get(&path, &[]).await.errors(404, "delivery_not_found");
    }
    let broken = Receiver::start().await;
    broken.answers(500);
    let failing = pressed(&bo, made(&broken.url).await).await;
    let tried = until("the first attempt", async || {
        let press = press(&bo, failing).await;
        (!press["reason"].is_null()).then_some(press)
    });
    let tried = tried.await;
    assert_eq!((&tried["state"], &tried["status_code"]), (&json!("pending"), &json!(500)));
    assert_eq!(tried["reason"], "status_5xx");
}

#[tokio::test]
async fn only_deliveries_of_buttons_are_presses_and_agents_see_no_button_urls() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let receiver = Receiver::start().await;
    let body = json!({"url": receiver.url});
    Hooks::of(&server).put("/endpoints/new_session", body).await.data();
    office.waiting("ann").await;
    receiver.next().await;
    let (ids, _) = Hooks::of(&server).list(&[]).await;
    let path = format!("{BUTTONS}/presses/{}", ids[0]);
    admin.get(&path, &[]).await.errors(404, "delivery_not_found");
    let body = json!({"label": "Ticket", "webhook_url": "https://internal.example/secret"});
    admin.post(BUTTONS, body).await.data();
    let shown = bo.get(BUTTONS, &[]).await;
    shown.data();
    assert!(!shown.text.contains("internal.example"), "{}", shown.text);
}
