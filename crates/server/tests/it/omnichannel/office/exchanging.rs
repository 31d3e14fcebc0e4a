//! An agent app exchanges its user's SDK token for a dashboard token (design/support).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{Answer, text};
use crate::support::caller::{Caller, sent, with_form, with_json};
use crate::support::office::{Office, PASSWORD, Worker};
use crate::support::test_server::TestServer;

const EXCHANGE: &str = "/api/v1/auth/get_token_by_qismo_key";

async fn exchange(caller: &Caller, sdk_token: &str, app: &str, key: &Value) -> Answer {
    let request = caller.bare(Method::POST, EXCHANGE).header("Authorization", sdk_token);
    sent(with_json(request, &json!({"app_id": app, "qismo_key": key}))).await
}

#[tokio::test]
async fn an_sdk_token_is_exchanged_for_a_sign_in_with_the_key_of_its_user() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    office.create("ana", "agent").await;
    let user = office.try_to_sign_in("ana", PASSWORD).await.data()["user"].take();
    let (sdk_token, key) = (text(&user["sdk_key"]), &user["qismo_key"]);
    let data = exchange(&server, sdk_token, "shop", key).await.data();
    assert_eq!((&data["id"], &data["type"]), (&user["id"], &json!(2)));
    assert_eq!(data["bubble_color"], Value::Null);
    let token = text(&data["authentication_token"]).to_owned();
    assert_ne!(json!(token), user["authentication_token"]);
    let ana = Worker { caller: server.clone(), token, id: user["id"].as_i64().expect("an id") };
    assert!(ana.is_signed_in().await);
    let form = server.bare(Method::POST, EXCHANGE).header("Authorization", sdk_token);
    let fields = [("app_id", "shop"), ("qismo_key", text(key))];
    sent(with_form(form, &fields)).await.data();
}

#[tokio::test]
async fn any_other_combination_of_token_key_and_app_is_refused() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let other = server.create_app("other").await;
    for name in ["ana", "bob"] {
        office.create(name, "agent").await;
    }
    let signed = async |name: &str| office.try_to_sign_in(name, PASSWORD).await.data();
    let (ana, bob) = (signed("ana").await["user"].take(), signed("bob").await["user"].take());
    let (sdk_token, key) = (text(&ana["sdk_key"]), &ana["qismo_key"]);
    let refused = [
        exchange(&server, sdk_token, "shop", &bob["qismo_key"]).await,
        exchange(&server, text(&bob["sdk_key"]), "shop", key).await,
        exchange(&server, sdk_token, "other", key).await,
        exchange(&server, sdk_token, "shop", &json!("é1")).await,
        exchange(&server, sdk_token, "shop", &json!("00")).await,
        exchange(&server, "guess", "shop", key).await,
        exchange(&server, text(&ana["authentication_token"]), "shop", key).await,
        exchange(&other, "secret-key-of-other", "shop", key).await,
    ];
    for answer in refused {
        answer.errors(401, "unauthorized");
    }
    let none = sent(with_json(server.bare(Method::POST, EXCHANGE), &json!({}))).await;
    none.errors(401, "unauthorized");
    server.register("visitor").await;
    let visitor = server.token("visitor").await;
    exchange(&server, &visitor, "shop", key).await.errors(401, "unauthorized");
    let empty = exchange(&server, sdk_token, "shop", &Value::Null).await;
    empty.errors(400, "invalid_request").says("qismo_key");
    let token = text(&ana["authentication_token"]).to_owned();
    let worker = Worker { caller: server.clone(), token, id: ana["id"].as_i64().expect("an id") };
    worker.log_out().await.data();
    exchange(&server, sdk_token, "shop", key).await.errors(401, "unauthorized");
}
