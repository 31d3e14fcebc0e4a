//! The settings of an app, read and changed by one call (D-0090).

use confab_domain::agents::role::Role;
use serde_json::json;

use crate::support::answer::{each, keys};
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::World;

const SETTINGS: &str = "/api/v2/settings";

#[tokio::test]
async fn admins_can_change_settings_and_agents_see_only_those_that_pages_need() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let other = World::of_app(&server, &server.create_app("other").await).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let before = other.get(SETTINGS, &[]).await.text;
    let defaults = admin.get(SETTINGS, &[]).await.data()["settings"].take();
    assert_eq!(defaults["who_sees_resolved"], "served");
    assert_eq!(defaults["time_zone"], "UTC");
    assert_eq!(defaults["languages"], json!(["en", "id"]));
    assert_eq!(
        defaults["allocation"],
        json!({"is_on": false, "per_agent_max": 10, "per_room_max": 10})
    );
    let wanted = json!({
        "app_name": "The shop", "is_sessional": true, "is_agent_takeover_enabled": false,
        "is_force_send_bot": true, "grace_s": 90, "time_zone": "Asia/Jakarta",
        "waiting_amber_s": 30, "waiting_red_s": 60, "who_sees_resolved": "all",
        "idle_resolve_minutes": 45, "shows_sender_extras": true,
        "allocation": {"is_on": true, "per_agent_max": 3, "per_room_max": 2},
        "security": {"visitor_proof": "secret", "user_list": "off"},
    });
    let changed = admin.patch(SETTINGS, wanted.clone()).await.data()["settings"].take();
    assert_eq!(admin.get(SETTINGS, &[]).await.data()["settings"], changed);
    for (name, value) in wanted.as_object().expect("an object") {
        match name.as_str() {
            "security" => assert_eq!(changed["security"]["visitor_proof"], "secret"),
            _ => assert_eq!(changed[name], *value, "{name}"),
        }
    }
    assert_eq!(changed["security"]["registration"], "open", "absent settings are unchanged");
    let me = bo.get("/api/v2/me", &[]).await.data()["app"].take();
    assert_eq!((&me["name"], &me["time_zone"]), (&json!("The shop"), &json!("Asia/Jakarta")));
    assert_eq!((&me["waiting_amber_s"], &me["waiting_red_s"]), (&json!(30), &json!(60)));
    let seen = bo.get(SETTINGS, &[]).await.data()["settings"].take();
    for hidden in ["security", "allocation", "grace_s", "is_force_send_bot", "idle_resolve_minutes"]
    {
        assert!(!keys(&seen).contains(&hidden), "{hidden}");
    }
    bo.patch(SETTINGS, json!({"is_sessional": false})).await.errors(403, "forbidden");
    let null = json!({"allocation": {"per_agent_max": null}});
    let again = admin.patch(SETTINGS, null).await.data()["settings"].take();
    assert_eq!(again["allocation"]["per_agent_max"], 10);
    assert_eq!(again["idle_resolve_minutes"], 45);
    let never = admin.patch(SETTINGS, json!({"idle_resolve_minutes": null})).await.data();
    assert_eq!(never["settings"]["idle_resolve_minutes"], json!(null));
    assert_eq!(
        other.get(SETTINGS, &[]).await.text,
        before,
        "settings of another app are unchanged"
    );
}

#[tokio::test]
async fn invalid_settings_are_refused_by_name_and_change_nothing() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let before = admin.get(SETTINGS, &[]).await.text;
    for (wrong, named) in [
        (json!({"is_sesional": true, "is_sessional": true}), "is_sesional"),
        (json!({"languages": ["en"]}), "languages"),
        (json!({"allocation": {"is_off": true}}), "allocation.is_off"),
        (json!({"allocation": {"per_agent_max": 0}}), "allocation.per_agent_max"),
        (json!({"security": {"visitor_proof": "magic"}}), "security.visitor_proof"),
        (json!({"time_zone": "Mars/Base", "is_sessional": true}), "time_zone"),
        (json!({"time_zone": "+07:00"}), "time_zone"),
        (json!({"waiting_amber_s": 0}), "waiting_amber_s"),
        (json!({"waiting_amber_s": 300}), "waiting_red_s"),
        (json!({"who_sees_resolved": "nobody"}), "who_sees_resolved"),
        (json!({"grace_s": -1}), "grace_s"),
        (json!({"idle_resolve_minutes": 0}), "idle_resolve_minutes"),
        (json!({"app_name": ""}), "app_name"),
    ] {
        let refused = admin.patch(SETTINGS, wrong.clone()).await;
        refused.errors(400, "invalid_request").says(named);
    }
    assert_eq!(admin.get(SETTINGS, &[]).await.text, before);
}

async fn resolved(by: &Worker) -> Vec<String> {
    let page = by.get("/api/v2/customer_rooms", &[("status", "resolved")]).await.json();
    let names = each(&page["data"]["customer_rooms"], "user_id");
    names.into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn resolved_conversations_are_visible_to_their_agents_or_to_the_whole_channel() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let elsewhere = office.open_channel("Elsewhere").await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let di = office.worker("Di", Role::Agent, &[elsewhere]).await;
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    bo.resolve_own(&ann.room()).await.data();
    let path = format!("/api/v2/customer_rooms/{}", ann.room());
    let count = async |by: &Worker| {
        by.get("/api/v2/customer_rooms/counts", &[]).await.data()["resolved"].take()
    };
    assert!(resolved(&cy).await.is_empty());
    cy.get(&path, &[]).await.errors(403, "not_your_room");
    admin.patch(SETTINGS, json!({"who_sees_resolved": "all"})).await.data();
    assert_eq!(resolved(&cy).await, ["ann"]);
    assert_eq!((count(&cy).await, count(&di).await), (json!(1), json!(0)));
    cy.get(&path, &[]).await.data();
    assert_eq!(resolved(&bo).await, ["ann"], "a conversation is listed once");
    assert!(resolved(&di).await.is_empty(), "Di serves another channel only");
    di.get(&path, &[]).await.errors(403, "not_your_room");
    let messages = format!("{path}/messages");
    let refused = cy.post(&messages, json!({"message": "hi"})).await;
    refused.errors(403, "not_serving");
    // The agent who served a conversation still sees it after moving to another channel.
    let moved = json!({"channel_ids": [elsewhere.0]});
    admin.post(&format!("/api/v2/admin/agent/{}/update", bo.id), moved).await.data();
    assert_eq!(resolved(&bo).await, ["ann"]);
    let own = [("status", "resolved"), ("served_by", "me")];
    let page = bo.get("/api/v2/customer_rooms", &own).await.json();
    assert_eq!(
        each(&page["data"]["customer_rooms"], "user_id"),
        ["ann"],
        "the list of Bo's own conversations"
    );
    bo.get(&path, &[]).await.data();
}
