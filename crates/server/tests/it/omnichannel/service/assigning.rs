//! Assigning agents to customers, and removing them (wire facts 5.4).

use confab_domain::agents::role::Role;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::caller::sent;
use crate::support::test_server::TestServer;
use crate::support::world::World;

const ASSIGN: &str = "/api/v1/admin/service/assign_agent";
const REMOVE: &str = "/api/v1/admin/service/remove_agent";

#[tokio::test]
async fn an_assigned_agent_joins_the_room_and_is_announced() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    assert_eq!(office.room(&ann).await["is_waiting"], true);
    let body = json!({"room_id": ann.room(), "agent_id": bo.id});
    let data = admin.post(ASSIGN, body).await.data();
    let added = &data["added_agent"];
    assert_eq!((&added["id"], &added["name"]), (&json!(bo.id), &json!("Bo")));
    assert_eq!((&added["type_as_string"], &added["type"]), (&json!("agent"), &json!(2)));
    assert_eq!(added["current_customer_count"], 1);
    assert!(added["last_login"].as_str().expect("a time").ends_with('Z'));
    let service = &data["service"];
    assert_eq!((&service["room_id"], &service["user_id"]), (&json!(ann.room()), &json!(bo.id)));
    assert_eq!((&service["is_resolved"], &service["resolved_at"]), (&json!(false), &Value::Null));
    let room = office.room(&ann).await;
    assert_eq!((&room["is_waiting"], &room["agents"][0]["id"]), (&json!(false), &json!(bo.id)));
    assert_eq!(office.texts(&ann).await, ["Bo joined this conversation", "hello"]);
    let in_room = server.participants(&ann.room()).await;
    assert!(in_room.contains(&bo.user_id()), "{in_room:?}");
    let found = server.get("get_rooms_info", &[("room_ids[]", &ann.room())]).await.results();
    let options = found["rooms"][0]["room_options"].as_str().expect("options");
    let options: Value = serde_json::from_str(options).expect("JSON");
    assert_eq!((&options["is_waiting"], &options["is_resolved"]), (&json!(false), &json!(false)));
}

#[tokio::test]
async fn assigning_and_removing_accept_forms() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (bo, ann) = (office.agent("Bo").await, office.waiting("ann").await);
    let part = |name: &str, value: String| {
        format!("--cut\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let parts = part("room_id", ann.room()) + &part("agent_id", bo.id.to_string()) + "--cut--\r\n";
    let request = office.request(Method::POST, ASSIGN);
    let request = request.header("Content-Type", "multipart/form-data; boundary=cut").body(parts);
    sent(request).await.data();
    let form = format!("room_id={}&agent_id={}", ann.room(), bo.id);
    let request = office.request(Method::POST, REMOVE);
    let request = request.header("Content-Type", "application/x-www-form-urlencoded").body(form);
    sent(request).await.data();
    assert_eq!(office.serving(&ann).await, [0_i64; 0]);
}

#[tokio::test]
async fn the_number_of_agents_is_limited_and_the_latest_can_be_replaced() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let dot = office.agent("Dot").await;
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let with = |agent: i64, more: Value| {
        let mut body = json!({"room_id": ann.room(), "agent_id": agent});
        body.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
        office.post(ASSIGN, body)
    };
    with(cy.id, json!({"max_agent": 1})).await.errors(400, "too_many_agents");
    with(cy.id, json!({"max_agent": 2})).await.data();
    with(dot.id, json!({"max_agent": 2})).await.errors(400, "too_many_agents");
    with(dot.id, json!({"max_agent": 2, "replace_latest_agent": true})).await.data();
    assert_eq!(office.serving(&ann).await, [bo.id, dot.id]);
    office.set("room_agents_max", "2").await;
    with(cy.id, json!({"max_agent": 50})).await.errors(400, "too_many_agents");
    assert_eq!(office.serving(&ann).await, [bo.id, dot.id]);
}

#[tokio::test]
async fn an_invalid_assignment_is_refused_and_changes_nothing() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let other = server.create_app("other").await;
    let other = World::of_app(&server, &other).await;
    let (bo, stranger) = (office.agent("Bo").await, other.agent("Eve").await);
    let elsewhere = office.open_channel("Elsewhere").await;
    let away = office.worker("Zoe", Role::Agent, &[elsewhere]).await;
    let (ann, quiet) = (office.waiting("ann").await, office.customer("quiet").await);
    let foreign = other.waiting("fay").await;
    office.assign(&ann, &stranger).await.errors(404, "agent_not_found");
    office.assign(&foreign, &bo).await.errors(404, "room_not_found");
    office.assign(&ann, &away).await.errors(400, "wrong_channel");
    office.assign(&quiet, &bo).await.errors(400, "session_resolved");
    server.register("ana").await;
    let plain = server.create_room("plain", &["ana"]).await;
    let body = json!({"room_id": plain["room_id"], "agent_id": bo.id});
    office.post(ASSIGN, body).await.errors(404, "room_not_found");
    let body = json!({"room_id": "999", "agent_id": bo.id});
    office.post(ASSIGN, body).await.errors(404, "room_not_found");
    let refused = office.post(ASSIGN, json!({"max_agent": "x"})).await;
    assert_eq!(refused.errors(400, "invalid_request").details.len(), 3);
    assert_eq!(office.texts(&ann).await, ["hello"]);
    office.assign(&ann, &bo).await.data();
    office.assign(&ann, &bo).await.errors(400, "already_assigned");
    assert_eq!(office.texts(&ann).await.len(), 2);
    assert_eq!(office.serving(&ann).await, [bo.id]);
}

#[tokio::test]
async fn a_customer_whose_agent_is_removed_waits_in_their_old_position() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (bo, ann) = (office.agent("Bo").await, office.waiting("ann").await);
    let since = office.room(&ann).await["waiting_since"].take();
    office.assign(&ann, &bo).await.data();
    let body = json!({"room_id": ann.room(), "agent_id": bo.id});
    let data = office.post(REMOVE, body.clone()).await.data();
    assert_eq!(data["service"]["room_id"], ann.room());
    let room = office.room(&ann).await;
    assert_eq!((&room["is_waiting"], &room["waiting_since"]), (&json!(true), &since));
    assert_eq!(room["agents"], json!([]));
    assert!(!server.participants(&ann.room()).await.contains(&bo.user_id()));
    office.post(REMOVE, body).await.errors(400, "not_assigned");
}

#[tokio::test]
async fn the_server_chooses_the_agent_with_the_fewest_customers() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    office.assign(&ann, &bo).await.data();
    let choose = "/api/v1/admin/service/allocate_agent";
    let channel = json!({"source": "custom", "channel_id": office.channel.0});
    let agent = office.post(choose, channel.clone()).await.data()["agent"].take();
    assert_eq!((&agent["id"], &agent["count"]), (&json!(cy.id), &json!(0)));
    assert_eq!(office.serving(&ben).await, [0_i64; 0], "no agent was assigned");
    office.post(choose, json!({"channel_id": 7})).await.errors(400, "invalid_request");
    let assign = "/api/v1/admin/service/allocate_assign_agent";
    let room = json!({"room_id": ben.room()});
    let agent = office.post(assign, room).await.data()["agent"].take();
    assert_eq!((&agent["id"], &agent["count"]), (&json!(cy.id), &json!(1)));
    assert_eq!(office.serving(&ben).await, [cy.id]);
    let since = Some(confab_domain::time::Timestamp(1));
    office.set_away(&bo, since).await;
    office.set_away(&cy, since).await;
    let cat = office.waiting("cat").await;
    office.post(assign, json!({"room_id": cat.room()})).await.errors(400, "nobody_free");
    office.post(choose, channel.clone()).await.errors(400, "nobody_free");
    let body = json!({"room_id": cat.room(), "ignore_agent_availability": true});
    office.post(assign, body).await.data();
    let body = json!({"channel_id": office.channel.0, "ignore_availability": true});
    office.post(choose, body).await.data();
}

#[tokio::test]
async fn agents_are_listed_in_pages_with_cursors() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, ann) = (office.admin().await, office.waiting("ann").await);
    let mut agents = Vec::new();
    for name in ["Bo", "Cy", "Dot", "Eve"] {
        agents.push(office.agent(name).await);
    }
    office.set_away(&agents[3], Some(confab_domain::time::Timestamp(1))).await;
    office.assign(&ann, &agents[0]).await.data();
    let list = async |path: &str, query: &[(&str, &str)]| {
        let room = ann.room();
        let query: Vec<_> =
            [("room_id", room.as_str())].into_iter().chain(query.to_vec()).collect();
        let answer = admin.get(path, &query).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let json = answer.json();
        let listed = json["data"]["agents"].as_array().expect("agents").clone();
        let ids: Vec<_> = listed.iter().map(|it| it["id"].as_i64().expect("an id")).collect();
        (ids, json["meta"].clone())
    };
    let available = "/api/v2/admin/service/available_agents";
    let ids: Vec<_> = agents.iter().map(|it| it.id).collect();
    let (all, meta) = list(available, &[]).await;
    assert_eq!((all, &meta["total_count"]), (ids[..3].to_vec(), &json!(3)));
    assert_eq!(
        (&meta["after"], &meta["before"], &meta["per_page"]),
        (&Value::Null, &Value::Null, &json!(20))
    );
    let (first, meta) = list(available, &[("limit", "2")]).await;
    let after = meta["after"].as_str().expect("more").to_owned();
    assert_eq!(first, ids[..2]);
    let (second, meta) = list(available, &[("limit", "2"), ("cursor_after", &after)]).await;
    assert_eq!((second, &meta["after"]), (ids[2..3].to_vec(), &Value::Null));
    let before = meta["before"].as_str().expect("some before").to_owned();
    let (back, _) = list(available, &[("limit", "2"), ("cursor_before", &before)]).await;
    assert_eq!(back, ids[..2]);
    let (in_room, _) = list(available, &[("is_available_in_room", "true")]).await;
    assert_eq!(in_room, ids[..1]);
    let (others, _) = list("/api/v2/admin/service/other_agents", &[]).await;
    assert_eq!(others, ids[1..]);
    let total = admin.get("/api/v2/admin/service/total_unserved", &[]).await.data();
    assert_eq!(total, json!({"total_unserved": 0}));
    office.waiting("ben").await;
    let total = agents[0].get("/api/v2/agent/service/total_unserved", &[]).await.data();
    assert_eq!(total, json!({"total_unserved": 1}));
    let of_room = [("room_id", ann.room())];
    let of_room = [(of_room[0].0, of_room[0].1.as_str())];
    for path in ["available_agents", "other_agents"] {
        let path = format!("/api/v2/agent/service/{path}");
        assert_eq!(agents[0].get(&path, &of_room).await.status, 200);
        agents[1].get(&path, &of_room).await.errors(403, "not_your_room");
    }
    admin.get(available, &[]).await.errors(400, "invalid_request").says("room_id");
    admin.get(available, &[("room_id", "7")]).await.errors(404, "room_not_found");
}
