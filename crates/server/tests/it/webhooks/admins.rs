//! Signed-in admins may call the webhook API; agents and supervisors may not (design/webhooks).

use reqwest::Method;
use serde_json::{Value, json};

use crate::openapi::documented_calls;
use crate::support::caller::{sent, with_json};
use crate::support::office::{Office, PASSWORD, Worker};
use crate::support::test_server::TestServer;

fn path(rest: &str) -> String {
    format!("/api/v2/webhooks{rest}")
}

async fn register(admin: &Worker, kind: &str) -> Value {
    let body = json!({"url": "https://hook.example/"});
    admin.put(&path(&format!("/endpoints/{kind}")), body).await.data()["endpoint"].take()
}

#[tokio::test]
async fn a_signed_in_admin_manages_endpoints_and_deliveries() {
    let server = TestServer::start_quiet().await;
    let admin = Office::of(&server).hire("ada", "admin").await;
    assert_eq!(register(&admin, "bot").await["state"], "healthy");
    let paused = admin.post(&path("/endpoints/bot/pause"), json!({})).await.data();
    assert_eq!(paused["endpoint"]["state"], "paused");
    admin.post(&path("/endpoints/bot/resume"), json!({})).await.data();
    let made = admin.post(&path("/trigger"), json!({"kind": "bot"})).await.data();
    let id = made["delivery_ids"][0].as_i64().expect("a delivery");
    let listed = admin.get(&path("/deliveries"), &[]).await.data();
    assert_eq!(listed["deliveries"][0]["id"], id);
    let shown = admin.get(&path(&format!("/deliveries/{id}")), &[]).await.data();
    assert_eq!(shown["delivery"]["kind"], "bot");
    let again = admin.post(&path(&format!("/deliveries/{id}/replay")), json!({})).await.data();
    assert_eq!(again["delivery"]["standing"], "waiting");
    let waiting = json!({"standing": "waiting"});
    let replayed = admin.post(&path("/replay"), waiting).await.data();
    assert_eq!(replayed["replayed"], 1);
    let polled = admin.get(&path("/listen"), &[("wait_seconds", "0")]).await.data();
    assert_eq!(polled["events"], json!([]));
}

#[tokio::test]
async fn a_session_cookie_is_accepted_only_with_the_x_confab_header() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    office.create("ada", "admin").await;
    let ours = ("x-confab", "1");
    let body = json!({"email": office.email("ada"), "password": PASSWORD});
    let request = server.bare(Method::POST, "/api/v2/sign_in").header(ours.0, ours.1);
    let answer = sent(with_json(request, &body)).await;
    let cookie = answer.header("set-cookie").split(';').next().expect("a cookie").to_owned();
    let get = || server.bare(Method::GET, &path("/endpoints")).header("cookie", &cookie);
    sent(get().header(ours.0, ours.1)).await.data();
    sent(get()).await.errors(401, "unauthorized");
}

#[tokio::test]
async fn agents_supervisors_and_admins_of_other_apps_have_no_access() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let admin = office.hire("ada", "admin").await;
    register(&admin, "bot").await;
    let made = admin.post(&path("/trigger"), json!({"kind": "bot"})).await.data();
    let id = made["delivery_ids"][0].as_i64().expect("a delivery");
    let (agent, chief) = (office.hire("bo", "agent").await, office.hire("sue", "supervisor").await);
    let calls = documented_calls(&server).await;
    let calls = calls.iter().filter(|it| it.path.starts_with("/api/v2/webhooks/"));
    for call in calls {
        for worker in [&agent, &chief] {
            let request = worker.request(call.method.clone(), &call.path);
            sent(with_json(request, &json!({}))).await.errors(403, "forbidden");
        }
        assert!(call.operation["security"][1]["token"].is_array(), "{}", call.path);
    }
    let stranger = Office::of(&server.create_app("other").await).hire("eve", "admin").await;
    let listed = stranger.get(&path("/endpoints"), &[]).await.data();
    assert_eq!(listed, json!({"endpoints": []}));
    let theirs = path(&format!("/deliveries/{id}"));
    stranger.get(&theirs, &[]).await.errors(404, "delivery_not_found");
    stranger.post(&format!("{theirs}/replay"), json!({})).await.errors(404, "delivery_not_found");
    stranger.post(&path("/endpoints/bot/pause"), json!({})).await.errors(404, "endpoint_not_found");
    admin.log_out().await.data();
    admin.get(&path("/endpoints"), &[]).await.errors(401, "unauthorized");
}

#[tokio::test]
async fn a_listener_with_a_sign_in_receives_masked_keys_and_signatures() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let admin = office.hire("ada", "admin").await;
    let polled = async |by: &str, after: &Value| {
        let query = format!("/listen?wait_seconds=0&after={after}");
        let request = match by {
            "key" => office.request(Method::GET, &path(&query)),
            _ => admin.request(Method::GET, &path(&query)),
        };
        sent(request).await.data()
    };
    let start = admin.get(&path("/listen"), &[("wait_seconds", "0")]).await.data()["next"].take();
    let body = json!({"sdk_key": "planted-key"});
    office.post(&path("/trigger"), json!({"kind": "bot", "body": body})).await.data();
    office.post(&path("/trigger"), json!({"kind": "bot", "body": {"plain": 1}})).await.data();
    let (mut by_key, mut shown) = (polled("key", &start).await, polled("sign-in", &start).await);
    assert!(by_key.to_string().contains("planted-key"));
    assert!(!shown.to_string().contains("planted-key"), "{shown}");
    assert_eq!(shown["events"][0]["headers"]["webhook-signature"], "***");
    assert_eq!(shown["events"][0]["headers"]["service-signature-key"], "***");
    assert_eq!(shown["events"][1].take(), by_key["events"][1].take(), "nothing to mask");
}
