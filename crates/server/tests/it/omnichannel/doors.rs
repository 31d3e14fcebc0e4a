//! Every documented call refuses credentials that the document does not list for it.

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::openapi::documented_calls;
use crate::support::caller::{sent, with_json};
use crate::support::office::Office;
use crate::support::test_server::TestServer;

/// Whether a call's documented security requirements include this scheme.
fn accepts(operation: &Value, proof: &str) -> bool {
    let proofs = operation["security"].as_array();
    proofs.is_some_and(|proofs| proofs.iter().any(|it| it.get(proof).is_some()))
}

fn keyed(request: RequestBuilder, app: &str, key: &str) -> RequestBuilder {
    request.header("SERVICE-App-Id", app).header("SERVICE-Secret-Key", key)
}

#[tokio::test]
async fn every_call_refuses_credentials_that_are_not_documented_for_it() {
    let server = TestServer::start_quiet().await;
    server.create_app("other").await;
    let office = Office::of(&server);
    let admin = office.hire("boss", "admin").await;
    let mut checked = 0;
    for call in documented_calls(&server).await {
        let (by_token, by_key) =
            (accepts(&call.operation, "token"), accepts(&call.operation, "secret_key"));
        if !by_token && !by_key {
            continue;
        }
        checked += 1;
        let path = call.path.replace("{app_code}", "shop");
        let path = path.replace(['{', '}'], "");
        let bare = || server.bare(call.method.clone(), &path);
        let mut wrong = vec![
            ("nothing", bare()),
            ("a guessed token", bare().header("Authorization", "guess")),
            ("a guessed key", keyed(bare(), "shop", "guess")),
            ("another app's key", keyed(bare(), "shop", "secret-key-of-other")),
            ("the key for another app", keyed(bare(), "other", "secret-key-of-shop")),
            (
                "a token for another app",
                admin.request(call.method.clone(), &path).header("SERVICE-App-Id", "other"),
            ),
        ];
        if !by_token {
            wrong.push(("a token", admin.request(call.method.clone(), &path)));
        }
        if !by_key {
            wrong.push(("the key", keyed(bare(), "shop", "secret-key-of-shop")));
        }
        for (what, request) in wrong {
            let answer = sent(with_json(request, &json!({}))).await;
            assert_eq!(answer.status, 401, "{} {path} with {what}: {}", call.method, answer.text);
        }
    }
    assert!(checked > 70, "{checked} calls");
    office.get("/api/v2/admin/agents", &[]).await.json();
    admin.get("/api/v1/admin/get_profile", &[]).await.data();
}
