//! Divisions with ids, by which allocation services find agents (design/support).

use serde_json::{Value, json};

use crate::support::answer::{each, keys};
use crate::support::office::{Office, PASSWORD};
use crate::support::test_server::TestServer;

const DIVISIONS: &str = "/api/v2/divisions";
const BY_DIVISION: &str = "/api/v2/admin/agents/by_division";

async fn make(office: &Office, name: &str) -> String {
    office.post(DIVISIONS, json!({"name": name})).await.data()["id"].to_string()
}

/// Creates an agent in these divisions; null sends no divisions.
async fn hire(office: &Office, name: &str, divisions: Value) -> Value {
    let mut body = json!({
        "name": name, "email": office.email(name), "password": PASSWORD, "type": "agent",
    });
    if !divisions.is_null() {
        body["division_ids"] = divisions;
    }
    office.post("/api/v2/admin/create_agent", body).await.data()["agent"].take()
}

async fn found(office: &Office, query: &[(&str, &str)]) -> Vec<String> {
    let answer = office.get(BY_DIVISION, query).await.json();
    each(&answer["data"], "name").into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn divisions_are_created_read_renamed_made_default_and_deleted() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let listed = office.get(DIVISIONS, &[]).await.json();
    assert_eq!((&listed["data"], &listed["meta"]["total_count"]), (&json!([]), &json!(0)));
    let sales = office.post(DIVISIONS, json!({"name": " Sales "})).await.data();
    let division =
        ["app_id", "created_at", "id", "is_default", "is_default_role", "name", "updated_at"];
    assert_eq!(keys(&sales), division);
    assert_eq!(sales["is_default_role"], true);
    assert!(sales["app_id"].is_i64(), "{sales}");
    assert_eq!((&sales["name"], &sales["is_default"]), (&json!("Sales"), &json!(true)));
    let care = make(&office, "Care").await;
    let path = format!("{DIVISIONS}/{}", sales["id"]);
    assert_eq!(office.get(&path, &[]).await.data(), sales);
    let taken = office.post(DIVISIONS, json!({"name": "sales"})).await;
    taken.errors(400, "invalid_request").says("name");
    let renamed = office.post(&format!("{path}/update"), json!({"name": "Orders"})).await.data();
    assert_eq!((&renamed["name"], &renamed["is_default"]), (&json!("Orders"), &json!(true)));
    let chosen = office.post(&format!("{DIVISIONS}/{care}/set_default"), json!({})).await.data();
    assert_eq!(chosen["is_default"], true);
    let listed = office.get(DIVISIONS, &[("page", "1"), ("limit", "50")]).await.json();
    assert_eq!(keys(&listed), ["data", "meta", "status"]);
    assert_eq!(each(&listed["data"], "name"), ["Orders", "Care"]);
    assert_eq!(listed["data"][0]["is_default"], false);
    let second = office.get(DIVISIONS, &[("page", "2"), ("limit", "1")]).await.json();
    let meta = json!({"current_page": 2, "limit": 1, "page": 2, "per_page": 1, "total": 2,
        "total_count": 2, "total_page": 2});
    assert_eq!(second["meta"], meta);
    assert_eq!(each(&second["data"], "name"), ["Care"]);
    office.post(&format!("{path}/delete"), json!({})).await.data();
    for last in ["", "/update", "/set_default", "/delete"] {
        let (path, body) = (format!("{path}{last}"), json!({"name": "x"}));
        let answer = match last {
            "" => office.get(&path, &[]).await,
            _ => office.post(&path, body).await,
        };
        answer.errors(404, "division_not_found");
    }
    for id in ["0", "-1", "x", "9007199254740993"] {
        let answer = office.get(&format!("{DIVISIONS}/{id}"), &[]).await;
        answer.errors(404, "division_not_found");
    }
    office.post(DIVISIONS, json!({})).await.errors(400, "invalid_request").says("name");
}

#[tokio::test]
async fn agents_can_be_in_several_divisions_and_are_found_by_each() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let none = hire(&office, "zoe", Value::Null).await;
    assert_eq!(none["user_roles"], json!([]), "the app has no division yet");
    let (sales, care) = (make(&office, "Sales").await, make(&office, "Care").await);
    let ids = json!([sales.parse::<i64>().expect("an id"), care.parse::<i64>().expect("an id")]);
    let bob = hire(&office, "Bob", ids.clone()).await;
    assert_eq!(each(&bob["user_roles"], "name"), ["Sales", "Care"]);
    assert_eq!(bob["user_roles"][0]["id"].to_string(), sales);
    let ana = hire(&office, "ana", Value::Null).await;
    assert_eq!(each(&ana["user_roles"], "name"), ["Sales"], "the default division");
    hire(&office, "eve", json!([])).await;
    let (by_sales, by_care) = (("division_ids[]", &*sales), ("division_ids[]", &*care));
    assert_eq!(found(&office, &[by_sales]).await, ["Bob", "ana"]);
    assert_eq!(found(&office, &[by_sales, ("sort", "asc")]).await, ["ana", "Bob"]);
    assert_eq!(found(&office, &[by_care]).await, ["Bob"]);
    assert_eq!(
        found(&office, &[by_sales, by_care]).await,
        ["Bob", "ana"],
        "each agent is listed once"
    );
    assert_eq!(
        found(&office, &[("division_ids[]", "2")]).await,
        [""; 0],
        "a role is not a division"
    );
    let update = format!("/api/v2/admin/agent/{}/update", ana["id"]);
    let moved = office.post(&update, json!({"division_ids": [care]})).await.data();
    assert_eq!(each(&moved["agent"]["user_roles"], "name"), ["Care"]);
    office.post(&update, json!({"name": "anna"})).await.data();
    assert_eq!(found(&office, &[by_care]).await, ["Bob", "anna"], "absent fields stay unchanged");
    let unknown = office.post(&update, json!({"division_ids": [7]})).await;
    unknown.errors(404, "division_not_found");
    office.post(&format!("{DIVISIONS}/{care}/delete"), json!({})).await.data();
    assert_eq!(found(&office, &[by_care]).await, [""; 0]);
    let agents = office.get("/api/v2/admin/agents", &[]).await.json();
    assert_eq!(agents["meta"], agents["data"]["meta"], "the meta is in both places");
    let gone = format!("/api/v1/admin/agent/{}/delete", bob["id"]);
    office.post(&gone, json!({})).await.data();
    assert_eq!(found(&office, &[by_sales]).await, [""; 0]);
}

#[tokio::test]
async fn the_sign_in_response_has_the_divisions_and_a_personal_key() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let sales = make(&office, "Sales").await;
    office.create("ana", "agent").await;
    let user = office.try_to_sign_in("ana", PASSWORD).await.data()["user"].take();
    let roles = &user["app"]["agent_roles"];
    let expected = ["app_id", "created_at", "id", "is_default_role", "name", "updated_at"];
    assert_eq!(keys(&roles[0]), expected);
    assert_eq!((roles[0]["id"].to_string(), &roles[0]["name"]), (sales, &json!("Sales")));
    assert_eq!((&roles[0]["is_default_role"], &roles[1]), (&json!(true), &Value::Null));
    assert_eq!(user["qismo_key"].as_str().expect("a text").len(), 64);
    let bob = office.hire("bob", "admin").await;
    let own = bob.get("/api/v1/admin/get_profile", &[]).await.data();
    assert_ne!((&own["qismo_key"], own["qismo_key"].as_str()), (&user["qismo_key"], Some("")));
    let app = office.get("/api/v1/admin/get_profile", &[]).await.data();
    assert_eq!(app["qismo_key"], "", "the app gets no personal key");
}

#[tokio::test]
async fn another_apps_divisions_are_not_found() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let other = Office::of(&server.create_app("other").await);
    let sales = make(&office, "Sales").await;
    let ana = hire(&office, "ana", Value::Null).await;
    let eve = other.create("eve", "agent").await;
    assert_eq!(other.get(DIVISIONS, &[]).await.json()["data"], json!([]));
    for last in ["update", "set_default", "delete"] {
        let path = format!("{DIVISIONS}/{sales}/{last}");
        other.post(&path, json!({"name": "Evil"})).await.errors(404, "division_not_found");
    }
    let update = format!("/api/v2/admin/agent/{}/update", eve["id"]);
    let body = json!({"division_ids": [sales]});
    other.post(&update, body).await.errors(404, "division_not_found");
    assert_eq!(found(&other, &[("division_ids[]", &sales)]).await, [""; 0]);
    make(&other, "Sales").await;
    let own = office.shown(ana["id"].as_i64().expect("an id")).await;
    assert_eq!(each(&own["user_roles"], "name"), ["Sales"], "nothing changed");
}
