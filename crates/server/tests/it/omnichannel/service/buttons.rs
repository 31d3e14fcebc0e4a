//! Custom buttons: each calls its own URL only (design/support).

use confab_domain::agents::role::Role;
use confab_test_servers::receiver::Receiver;
use serde_json::json;

use crate::support::hooks::Hooks;
use crate::support::test_server::TestServer;
use crate::support::world::World;

const BUTTONS: &str = "/api/v2/custom_buttons";

#[tokio::test]
async fn a_pressed_button_calls_only_its_own_url_and_returns_the_delivery_id() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let receiver = Receiver::start().await;
    let other = Receiver::start().await;
    let make = async |label: &str, url: &str| {
        let body = json!({"label": label, "webhook_url": url});
        admin.post(BUTTONS, body).await.data()["custom_button"].take()
    };
    let (ticket, _) = (make("Ticket", &receiver.url).await, make("Other", &other.url).await);
    assert_eq!((&ticket["label"], &ticket["is_active"]), (&json!("Ticket"), &json!(true)));
    let listed = admin.get(BUTTONS, &[]).await.data();
    assert_eq!(listed["custom_buttons"][0], ticket);
    let ann = office.waiting("ann").await;
    let press = format!("{BUTTONS}/{}/press", ticket["id"]);
    let room = json!({"room_id": ann.room()});
    office.set("is_agent_takeover_enabled", "false").await;
    bo.post(&press, room.clone()).await.errors(403, "not_your_room");
    office.assign(&ann, &bo).await.data();
    let body = json!({"room_id": ann.room(), "tag": "vip"});
    admin.post("/api/v1/room_tag/create", body).await.data();
    let id = bo.post(&press, room.clone()).await.data()["delivery_id"].as_i64().expect("an id");
    let webhook = receiver.next().await.json();
    assert_eq!(
        (&webhook["agent"]["name"], &webhook["agent"]["type"]),
        (&json!("Bo"), &json!("agent"))
    );
    assert_eq!(
        (&webhook["room_id"], &webhook["tag"][0]["name"]),
        (&json!(ann.room.0), &json!("vip"))
    );
    assert_eq!(webhook["channel_id"], office.channel.0);
    let hooks = Hooks::of(&server);
    assert_eq!(hooks.list(&[]).await.0, [id], "the other button has no delivery");
    assert!(!other.has_more());
    admin.post(&press, room.clone()).await.data();
    office.post(&press, room).await.data();
    assert_eq!(receiver.next().await.json()["agent"]["type"], "admin");
    assert_eq!(receiver.next().await.json()["agent"]["type"], "admin");
}

#[tokio::test]
async fn buttons_are_changed_disabled_and_deleted() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    let room = json!({"room_id": ann.room()});
    let body = json!({"label": "Ticket", "webhook_url": "https://a.example/"});
    bo.post(BUTTONS, body.clone()).await.errors(403, "forbidden");
    let made = admin.post(BUTTONS, body).await.data()["custom_button"].take();
    let path = format!("{BUTTONS}/{}", made["id"]);
    let changed = admin.put(&path, json!({"is_active": false})).await.data();
    let expected = json!({"id": made["id"], "label": "Ticket", "webhook_url": "https://a.example/",
        "is_active": false});
    assert_eq!(changed["custom_button"], expected);
    admin.post(&format!("{path}/press"), room.clone()).await.errors(400, "button_off");
    admin.put(&path, json!({"is_active": true, "label": "T"})).await.data();
    admin.post(&format!("{path}/press"), json!({})).await.errors(400, "invalid_request");
    admin.post(&format!("{path}/press"), json!({"room_id": 7})).await.errors(404, "room_not_found");
    bo.delete(&path).await.errors(403, "forbidden");
    admin.delete(&path).await.data();
    assert_eq!(admin.get(BUTTONS, &[]).await.data(), json!({"custom_buttons": []}));
    admin.delete(&path).await.errors(404, "button_not_found");
    admin.put(&path, json!({"label": "x"})).await.errors(404, "button_not_found");
    admin.post(&format!("{path}/press"), room).await.errors(404, "button_not_found");
    admin.delete(&format!("{BUTTONS}/x")).await.errors(404, "button_not_found");
    let wrong = admin.post(BUTTONS, json!({"is_active": "maybe"})).await;
    assert_eq!(wrong.errors(400, "invalid_request").details.len(), 3);
    let body = json!({"label": "x", "webhook_url": "ftp://a.example/"});
    admin.post(BUTTONS, body).await.errors(400, "invalid_request").says("webhook_url");
    assert_eq!(World::texts(&office, &ann).await, ["hello"], "no message was posted");
}

#[tokio::test]
async fn only_admins_and_supervisors_see_the_urls_of_buttons() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let sue = office.worker("Sue", Role::Supervisor, &[]).await;
    let body = json!({"label": "Ticket", "webhook_url": "https://a.example/?key=secret"});
    let made = admin.post(BUTTONS, body).await.data()["custom_button"].take();
    for chief in [&admin, &sue] {
        assert_eq!(chief.get(BUTTONS, &[]).await.data()["custom_buttons"][0], made);
    }
    let seen = bo.get(BUTTONS, &[]).await.data()["custom_buttons"][0].take();
    assert_eq!((&seen["id"], &seen["label"]), (&made["id"], &made["label"]));
    assert_eq!(seen["webhook_url"], "");
}

/// Spec 6: an admin, supervisor or agent clicks a custom button.
#[tokio::test]
async fn a_supervisor_presses_a_custom_button() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, receiver) = (office.admin().await, Receiver::start().await);
    let supervisor = office.worker("Sue", Role::Supervisor, &[]).await;
    let body = json!({"label": "Ticket", "webhook_url": receiver.url});
    let button = admin.post(BUTTONS, body).await.data()["custom_button"].take();
    let ann = office.waiting("ann").await;
    let press = format!("{BUTTONS}/{}/press", button["id"]);
    supervisor.post(&press, json!({"room_id": ann.room()})).await.data();
    let received = receiver.next().await;
    received.check_signature("secret-key-of-shop");
    let webhook = received.json();
    let by = json!({"email": webhook["agent"]["email"], "name": "Sue", "type": "supervisor"});
    assert_eq!(webhook["agent"], by);
    assert_eq!(
        (&webhook["room_id"], &webhook["customer"]["user_id"]),
        (&json!(ann.room.0), &json!("ann"))
    );
}
