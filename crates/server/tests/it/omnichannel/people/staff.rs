//! Staff: creating, changing, listing and deleting agents (wire facts 5.4).

use serde_json::{Value, json};

use crate::support::answer::{each, items, keys};
use crate::support::caller::{sent, with_multipart};
use crate::support::office::{Office, PASSWORD};
use crate::support::test_server::TestServer;
use crate::support::world::World;

const AGENT: [&str; 19] = [
    "avatar_url",
    "created_at",
    "current_customer_count",
    "customers_max",
    "email",
    "force_offline",
    "id",
    "is_available",
    "is_req_otp_reset",
    "is_verified",
    "last_login",
    "name",
    "sdk_email",
    "sdk_key",
    "type",
    "type_as_string",
    "updated_at",
    "user_channels",
    "user_roles",
];

#[tokio::test]
async fn a_new_agent_has_a_user_that_posts_for_them() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let admin = office.hire("boss", "1").await;
    let fields =
        [("name", "Ana"), ("email", "Ana@shop.example"), ("password", PASSWORD), ("type", "2")];
    let request = admin.request(reqwest::Method::POST, "/api/v2/admin/create_agent");
    let agent = sent(with_multipart(request, &fields)).await.data()["agent"].take();
    assert_eq!(keys(&agent), AGENT);
    assert_eq!((&agent["name"], &agent["email"]), (&json!("Ana"), &json!("ana@shop.example")));
    assert_eq!((&agent["type"], &agent["type_as_string"]), (&json!(2), &json!("agent")));
    assert_eq!((&agent["is_available"], &agent["last_login"]), (&json!(false), &Value::Null));
    assert_eq!(agent["user_roles"], json!([]), "the app has no divisions");
    let speaker = agent["sdk_email"].as_str().expect("a user");
    let profile = server.get("user_profile", &[("user_id", speaker)]).await.results();
    assert_eq!(profile["user"]["username"], "Ana");
    server.create_room("desk", &[speaker]).await;
    server.post_comment(speaker, "desk", "hello").await;
}

#[tokio::test]
async fn all_invalid_fields_are_reported_and_an_email_is_used_once() {
    let server = TestServer::start().await;
    let (office, other) = (Office::of(&server), Office::of(&server.create_app("other").await));
    let path = "/api/v2/admin/create_agent";
    let body = json!({"name": " ", "email": "ana", "password": "short", "type": "boss"});
    let refused = office.post(path, body).await.errors(400, "invalid_request");
    for problem in ["name is required", "email must be", "password must have 8", "type must be"] {
        refused.says(problem);
    }
    office.create("ana", "agent").await;
    let body = json!({
        "name": "x", "email": "ANA@shop.example", "password": PASSWORD, "type": "agent",
    });
    for office in [&office, &other] {
        let answer = office.post(path, body.clone()).await;
        answer.errors(409, "email_taken");
        assert!(!answer.text.to_lowercase().contains("ana@"), "{}", answer.text);
    }
}

#[tokio::test]
async fn concurrent_creations_with_one_email_create_one_agent() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let body =
        json!({"name": "x", "email": "x@shop.example", "password": PASSWORD, "type": "agent"});
    let create = || office.post("/api/v2/admin/create_agent", body.clone());
    let answers = tokio::join!(create(), create(), create(), create());
    let mut statuses = [answers.0.status, answers.1.status, answers.2.status, answers.3.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409]);
}

#[tokio::test]
async fn changes_of_an_agent_also_change_the_user_that_posts_for_them() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let (admin, ana) = (office.hire("boss", "admin").await, office.hire("ana", "agent").await);
    office.create("bob", "agent").await;
    let path = format!("/api/v2/admin/agent/{}/update", ana.id);
    let body = json!({
        "name": "Anna", "avatar_url": "https://img.example/anna.png", "type": "supervisor",
        "email": "anna@shop.example", "customers_max": 3,
    });
    let agent = admin.post(&path, body).await.data()["agent"].take();
    assert_eq!((&agent["name"], &agent["type"]), (&json!("Anna"), &json!(3)));
    assert_eq!(
        (&agent["email"], &agent["customers_max"]),
        (&json!("anna@shop.example"), &json!(3))
    );
    let speaker = agent["sdk_email"].as_str().expect("a user");
    let profile = server.get("user_profile", &[("user_id", speaker)]).await.results();
    assert_eq!(profile["user"]["username"], "Anna");
    assert_eq!(profile["user"]["avatar_url"], "https://img.example/anna.png");
    let agent = admin.post(&path, json!({"avatar_url": "", "customers_max": 0})).await.data();
    assert_eq!(agent["agent"]["avatar_url"], Value::Null);
    assert_eq!(agent["agent"]["customers_max"], Value::Null);
    assert_eq!(agent["agent"]["name"], "Anna", "absent fields stay unchanged");
    admin.post(&path, json!({"email": "bob@shop.example"})).await.errors(409, "email_taken");
    let answer = admin.post(&path, json!({"channel_ids": [12345]})).await;
    answer.errors(404, "channel_not_found");
    let answer = admin.post(&path, json!({"avatar_url": "javascript:x"})).await;
    answer.errors(400, "invalid_request").says("avatar_url");
    admin.post(&path, json!({"email": "Anna@Shop.Example"})).await.data();
}

#[tokio::test]
async fn admins_cannot_delete_or_demote_themselves() {
    let server = TestServer::start().await;
    let admin = Office::of(&server).hire("boss", "admin").await;
    let path = format!("/api/v2/admin/agent/{}/update", admin.id);
    admin.post(&path, json!({"type": "agent"})).await.errors(403, "own_account");
    admin.post(&path, json!({"type": "admin", "name": "The boss"})).await.data();
    let path = format!("/api/v1/admin/agent/{}/delete", admin.id);
    admin.post(&path, json!({})).await.errors(403, "own_account");
    assert!(admin.is_signed_in().await);
}

#[tokio::test]
async fn a_deleted_agent_is_removed_everywhere_and_their_email_is_free() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let (admin, ana) = (office.hire("boss", "admin").await, office.hire("ana", "agent").await);
    let speaker = office.shown(ana.id).await["sdk_email"].clone();
    let speaker = speaker.as_str().expect("a user");
    let key = server.token(speaker).await;
    let path = format!("/api/v1/admin/agent/{}/delete", ana.id);
    admin.post(&path, json!({})).await.data();
    assert!(!ana.is_signed_in().await);
    office.try_to_sign_in("ana", PASSWORD).await.errors(401, "unauthorized");
    admin.post(&path, json!({})).await.errors(404, "agent_not_found");
    let one = format!("/api/v2/admin/agent/{}", ana.id);
    admin.get(&one, &[]).await.errors(404, "agent_not_found");
    let list = admin.get("/api/v2/admin/agents", &[]).await.json();
    assert_eq!(each(&list["data"]["agents"], "name"), ["boss"]);
    assert_ne!(server.token(speaker).await, key, "the agent's chat token is replaced");
    let profile = server.get("user_profile", &[("user_id", speaker)]).await.results();
    assert_eq!(profile["user"]["active"], false);
    let new = office.hire("ana", "agent").await;
    assert_ne!(new.id, ana.id);
}

#[tokio::test]
async fn agent_lists_have_pages_filters_and_their_meta_in_both_places() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    for (name, role) in [("ana", "agent"), ("anton", "supervisor"), ("bob", "agent")] {
        office.create(name, role).await;
    }
    let bob = office.sign_in("bob").await;
    let path = "/api/v2/admin/agents";
    let answer = office.get(path, &[("limit", "2")]).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    let list = answer.json();
    assert_eq!(keys(&list), ["data", "meta", "status"]);
    let meta = json!({"current_page": 1, "per_page": 2, "total_count": 3, "total_page": 2});
    assert_eq!((&list["meta"], &list["data"]["meta"]), (&meta, &meta));
    assert_eq!(each(&list["data"]["agents"], "name"), ["ana", "anton"]);
    for (query, names) in [
        (vec![("limit", "2"), ("page", "2")], vec!["bob"]),
        (vec![("limit", "2"), ("page", "99")], vec![]),
        (vec![("search", "AN")], vec!["ana", "anton"]),
        (vec![("search", "bob@shop")], vec!["bob"]),
        (vec![("search", "nobody")], vec![]),
        (vec![("scope", "online")], vec!["bob"]),
        (vec![("scope", "offline")], vec!["ana", "anton"]),
        (vec![("scope", "name"), ("search", "bob")], vec!["bob"]),
        (vec![("user_type_scope", "supervisor")], vec!["anton"]),
        (vec![("user_type_scope", "all"), ("scope", "all")], vec!["ana", "anton", "bob"]),
        // Public allocation services request all agents so.
        (vec![("limit", "1000")], vec!["ana", "anton", "bob"]),
        (vec![("limit", "99999")], vec!["ana", "anton", "bob"]),
    ] {
        let list = office.get(path, &query).await.json();
        assert_eq!(each(&list["data"]["agents"], "name"), names, "{query:?}");
    }
    for (name, value) in [("page", "0"), ("limit", "0"), ("limit", "x"), ("scope", "x")] {
        let answer = office.get(path, &[(name, value)]).await;
        answer.errors(400, "invalid_request").says(name);
    }
    let page = office.get("/api/v1/admin/agents", &[("limit", "2"), ("page", "2")]).await.data();
    let page = &page["agents"];
    assert_eq!(each(&page["data"], "name"), ["bob"]);
    assert_eq!((&page["total"], &page["last_page"]), (&json!(3), &json!(2)));
    assert_eq!((&page["from"], &page["to"]), (&json!(3), &json!(3)));
    let id = bob.id.to_string();
    let query = [("ids[]", id.as_str()), ("ids[]", "123")];
    let found = office.get("/api/v1/admin/agents/get_by_ids", &query).await.data();
    assert_eq!((items(&found).len(), &found[0]["name"]), (1, &json!("bob")));
    assert_eq!(found[0]["authentication_token"], Value::Null);
    let answer = office.get("/api/v1/admin/agents/get_by_ids", &[]).await;
    answer.errors(400, "invalid_request").says("ids is required");
}

/// Follows public allocation services that request agents to assign.
#[tokio::test]
async fn agents_of_a_division_are_listed_as_allocation_services_request() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let mut divisions = Vec::new();
    for name in ["Sales", "Care"] {
        let made = office.post("/api/v2/divisions", json!({"name": name})).await.data();
        divisions.push(made["id"].to_string());
    }
    for (name, division) in [("Bob", 0), ("anton", 1), ("ana", 0)] {
        let agent = office.create(name, "agent").await;
        let body = json!({"division_ids": [divisions[division]]});
        office.post(&format!("/api/v2/admin/agent/{}/update", agent["id"]), body).await.data();
    }
    let (sales, care) = (divisions[0].as_str(), divisions[1].as_str());
    let path = "/api/v2/admin/agents/by_division";
    let found = office.get(path, &[("division_ids[]", sales)]).await.json();
    assert_eq!(keys(&found), ["data", "meta", "status"]);
    assert_eq!(keys(&found["data"][0]), AGENT);
    assert_eq!(found["data"][0]["user_roles"][0]["name"], "Sales");
    let meta = json!({"current_page": 1, "limit": 20, "page": 1, "per_page": 20, "total": 2,
        "total_count": 2, "total_page": 1});
    assert_eq!((&found["meta"], &found["status"]), (&meta, &json!(200)));
    office.sign_in("Bob").await;
    for (query, names) in [
        (vec![("division_ids[]", sales)], vec!["Bob", "ana"]),
        (vec![("division_ids[]", sales), ("sort", "asc")], vec!["ana", "Bob"]),
        (vec![("division_ids[]", sales), ("sort", "desc")], vec!["Bob", "ana"]),
        (vec![("division_ids[]", sales), ("limit", "1"), ("page", "2")], vec!["ana"]),
        (vec![("division_ids[]", sales), ("is_available", "true")], vec!["Bob"]),
        (vec![("division_ids[]", sales), ("division_ids[]", care)], vec!["Bob", "anton", "ana"]),
        (vec![("division_ids[]", "133584")], vec![]),
    ] {
        let found = office.get(path, &query).await.json();
        assert_eq!(each(&found["data"], "name"), names, "{query:?}");
    }
    for (name, value) in [("division_ids[]", "x"), ("sort", "up"), ("limit", "0")] {
        let query = [("division_ids[]", "2"), (name, value)];
        let answer = office.get(path, &query).await.errors(400, "invalid_request");
        answer.says(name.trim_end_matches("[]"));
    }
    office.get(path, &[]).await.errors(400, "invalid_request").says("division_ids is required");
}

#[tokio::test]
async fn an_agent_serves_all_channels_unless_limited_to_some() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let mut made = Vec::new();
    for name in ["SMS", "Mail"] {
        let channel = office.post("/api/v2/custom_channels", json!({"name": name})).await.data();
        made.push(channel["custom_channel"]["id"].clone());
    }
    let ana = office.create("ana", "agent").await["id"].take();
    let path = format!("/api/v2/admin/agent/{ana}/channels");
    let all = office.get(&path, &[]).await.data();
    assert_eq!(each(&all["channels"], "name"), ["SMS", "Mail"], "an agent without a limit");
    let update = format!("/api/v2/admin/agent/{ana}/update");
    office.post(&update, json!({"channel_ids": [made[1]]})).await.data();
    let own = office.get(&path, &[]).await.data();
    assert_eq!(own, json!({"channels": [{"id": made[1], "name": "Mail"}]}));
}

#[tokio::test]
async fn a_supervisor_sees_agents_but_not_their_keys() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let (ana, chief) =
        (office.hire("ana", "agent").await, office.hire("chief", "supervisor").await);
    let key = |agents: &Value, id: i64| {
        let found = items(agents).iter().find(|it| it["id"] == id).expect("listed");
        found["sdk_key"].as_str().expect("a text").to_owned()
    };
    let seen = chief.get("/api/v2/admin/agents", &[]).await.json();
    assert_eq!(key(&seen["data"]["agents"], ana.id), "");
    assert_ne!(key(&seen["data"]["agents"], chief.id), "", "a supervisor sees their own key");
    let seen = office.get("/api/v2/admin/agents", &[]).await.json();
    assert_ne!(key(&seen["data"]["agents"], ana.id), "");
}

#[tokio::test]
async fn agents_set_their_availability_unless_an_admin_forces_them_offline() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let (admin, ana) = (office.hire("boss", "admin").await, office.hire("ana", "agent").await);
    let own = "/api/v1/agent/set_availability";
    let force = format!("/api/v2/admin/agent/{}/set_force_offline", ana.id);
    let off = ana.post(own, json!({"is_available": false})).await.data();
    assert_eq!(off["agent"]["is_available"], false);
    ana.post(own, json!({"is_available": "1"})).await.data();
    assert_eq!(office.shown(ana.id).await["is_available"], true);
    let forced = admin.post(&force, json!({"force_offline": true})).await.data();
    assert_eq!(forced["agent"]["force_offline"], true);
    assert_eq!(forced["agent"]["is_available"], false);
    ana.post(own, json!({"is_available": true})).await.errors(403, "forced_offline");
    office.sign_in("ana").await;
    assert_eq!(office.shown(ana.id).await["is_available"], false, "signing in does not lift it");
    admin.post(&force, json!({"force_offline": false})).await.data();
    assert_eq!(
        office.shown(ana.id).await["is_available"],
        false,
        "lifting it changes nothing else"
    );
    ana.post(own, json!({"is_available": true})).await.data();
    assert_eq!(office.shown(ana.id).await["is_available"], true);
    ana.post(own, json!({})).await.errors(400, "invalid_request").says("is_available is required");
}

#[tokio::test]
async fn an_agent_can_be_created_for_certain_channels_only() {
    let server = TestServer::start_quiet().await;
    let world = World::of(&server).await;
    let other = World::of_app(&server, &server.create_app("other").await).await;
    let (shop, sms) = (world.channel, world.open_channel("SMS").await);
    let new = |name: &str, channels: Value| {
        json!({"name": name, "email": format!("{name}@shop.example"), "type": "agent",
            "password": PASSWORD, "channel_ids": channels})
    };
    let path = "/api/v2/admin/create_agent";
    let made = world.post(path, new("bo", json!([sms.0]))).await.data()["agent"].take();
    assert_eq!(made["user_channels"], json!([{"id": sms.0, "name": "SMS"}]));
    let shown = world.get(&format!("/api/v2/admin/agent/{}", made["id"]), &[]).await.data();
    assert_eq!(shown["agent"]["user_channels"], made["user_channels"]);
    let all = world.post(path, new("cy", json!([]))).await.data()["agent"].take();
    assert_eq!(all["user_channels"], json!([]), "all channels");
    for wrong in [json!([other.channel.0]), json!([shop.0, 7])] {
        let answer = world.post(path, new("eve", wrong)).await;
        answer.errors(404, "channel_not_found");
    }
    let customer = world.waiting("ann").await;
    let assign = json!({"room_id": customer.room(), "agent_id": made["id"]});
    let refused = world.post("/api/v1/admin/service/assign_agent", assign.clone()).await;
    refused.errors(400, "wrong_channel");
    let assign = json!({"room_id": customer.room(), "agent_id": all["id"]});
    world.post("/api/v1/admin/service/assign_agent", assign).await.data();
}
