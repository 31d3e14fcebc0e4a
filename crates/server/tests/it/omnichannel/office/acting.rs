//! Requests of the app itself on behalf of its first admin or of a named agent (design/support).

use reqwest::{Method, RequestBuilder};
use serde_json::json;

use crate::support::caller::{sent, with_json};
use crate::support::office::{Office, Worker};
use crate::support::test_server::TestServer;
use crate::support::world::World;

const PROFILE: &str = "/api/v1/admin/get_profile";
const RESOLVE: &str = "/api/v1/agent/service/mark_as_resolved";

/// Builds a request of the app on behalf of an agent.
fn acting(office: &Office, method: Method, path: &str, agent: &str) -> RequestBuilder {
    office.request(method, path).header("SERVICE-User-Id", agent)
}

#[tokio::test]
async fn the_profile_is_the_first_admin_for_the_app_and_the_agent_for_a_token() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    office.get(PROFILE, &[]).await.errors(400, "no_admin");
    let (bo, ada) = (office.hire("bo", "agent").await, office.hire("ada", "admin").await);
    office.hire("eve", "admin").await;
    let shown = office.get(PROFILE, &[]).await.data();
    assert_eq!((&shown["id"], &shown["email_address"]), (&json!(ada.id), &shown["email"]));
    assert_eq!(shown["authentication_token"], json!(null));
    assert_eq!(shown["app"]["secret_key"], "secret-key-of-shop");
    let own = bo.get(PROFILE, &[]).await.data();
    assert_eq!((&own["id"], &own["app"]["secret_key"]), (&json!(bo.id), &json!("")));
}

#[tokio::test]
async fn the_app_acts_on_behalf_of_an_agent_named_by_id_or_user_id() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    office.set("is_agent_takeover_enabled", "true").await;
    let bo = office.agent("Bo").await;
    let names = [bo.id.to_string(), bo.user_id(), "bo@shop.example".to_owned()];
    for (at, name) in names.iter().enumerate().take(2) {
        let ann = office.waiting(&format!("ann{at}")).await;
        let take = acting(&office, Method::POST, "/api/v2/agent/service/takeover_unserved", name);
        let taken = sent(with_json(take, &json!({"room_id": ann.room()}))).await.data();
        assert_eq!(taken["added_agent"]["id"], bo.id, "{name}");
        let end = acting(&office, Method::POST, RESOLVE, name);
        sent(with_json(end, &json!({"room_id": ann.room()}))).await.data();
    }
    let path = "/api/v1/agent/set_availability";
    let away = acting(&office, Method::POST, path, &names[0]);
    let away = sent(with_json(away, &json!({"is_available": false}))).await.data();
    assert_eq!(away["agent"]["is_available"], false);
    let count = acting(&office, Method::GET, "/api/v2/agent/service/total_unserved", &names[0]);
    assert_eq!(sent(count).await.data()["total_unserved"], 0);
}

#[tokio::test]
async fn the_app_cannot_act_as_an_unknown_deleted_or_foreign_agent() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let other = World::of_app(&server, &server.create_app("other").await).await;
    let (bo, ada, eve) = (office.agent("Bo").await, office.admin().await, other.agent("Eve").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let body = json!({"room_id": ann.room()});
    let resolve = |request: RequestBuilder| sent(with_json(request, &body));
    let tried = |agent: &str| acting(&office, Method::POST, RESOLVE, agent);
    for unknown in ["", "0", "-1", "7", "nobody@shop.example", "9007199254740993", &ids(&eve)] {
        resolve(tried(unknown)).await.errors(401, "unauthorized");
    }
    resolve(office.request(Method::POST, RESOLVE)).await.errors(401, "unauthorized");
    let theirs = acting(&other, Method::POST, RESOLVE, &ids(&bo));
    resolve(theirs).await.errors(401, "unauthorized");
    let bare = server.bare(Method::POST, RESOLVE).header("SERVICE-App-Id", "shop");
    resolve(bare.header("SERVICE-User-Id", ids(&bo))).await.errors(401, "unauthorized");
    resolve(tried(&ids(&ada))).await.errors(403, "forbidden");
    let gone = office.agent("Gone").await;
    office.delete_only(&gone).await;
    resolve(tried(&ids(&gone))).await.errors(401, "unauthorized");
    let their_agent = acting(&other, Method::POST, RESOLVE, &ids(&eve));
    resolve(their_agent).await.errors(404, "room_not_found");
    assert_eq!(office.serving(&ann).await, [bo.id], "the assignment is unchanged");
    for path in ["/api/v1/auth/logout", "/api/v1/auth/change_password"] {
        let own = acting(&office, Method::POST, path, &ids(&bo));
        sent(with_json(own, &json!({}))).await.errors(401, "unauthorized");
    }
    let with_token = office.request(Method::POST, RESOLVE).header("Authorization", &bo.token);
    resolve(with_token).await.data();
}

fn ids(worker: &Worker) -> String {
    worker.id.to_string()
}
