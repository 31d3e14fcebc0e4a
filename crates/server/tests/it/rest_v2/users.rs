//! Users, named by their e-mail addresses.

use serde_json::json;

use super::{get, post, post_json};
use crate::support::answer::{each, keys, text};
use crate::support::client::Client;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn a_registered_user_has_a_token_that_clients_can_use() {
    let server = TestServer::start().await;
    let fields = [("email", "ana@x.y"), ("username", "Ana"), ("password", "secret")];
    let user = post(&server, "login_or_register", &fields).await.results()["user"].take();
    for key in ["app", "avatar_url", "email", "extras", "id", "last_comment_id", "rtKey", "token"] {
        assert!(keys(&user).contains(&key), "{key}: {user}");
    }
    assert_eq!((&user["email"], &user["username"]), (&json!("ana@x.y"), &json!("Ana")));
    let ana = Client::of(&server, "ana@x.y").await;
    assert_eq!(ana.token, text(&user["token"]));
    ana.get("my_profile", &[]).await.results();

    let profile = get(&server, "user_profile", &[("user_email", "ana@x.y")]).await.results();
    assert_eq!(profile["user"], user);
    let again = [("email", "ana@x.y"), ("username", "Anna"), ("avatar_url", "")];
    let changed = post(&server, "login_or_register", &again).await.results();
    assert_eq!(changed["user"]["username"], "Anna");
    assert_eq!(changed["user"]["token"], user["token"]);
}

#[tokio::test]
async fn a_reset_token_replaces_the_old_one() {
    let server = TestServer::with_people(&["ana"]).await;
    let ana = Client::of(&server, "ana").await;
    let user = post(&server, "reset_user_token", &[("user_email", "ana")]).await.results();
    assert_eq!(user["user"]["email"], "ana");
    assert_ne!(text(&user["user"]["token"]), ana.token);
    ana.get("my_profile", &[]).await.refused(403, "unauthorized");
    let anew = Client { token: text(&user["user"]["token"]).to_owned(), ..ana };
    anew.get("my_profile", &[]).await.results();
}

#[tokio::test]
async fn unknown_users_and_invalid_fields_are_refused() {
    let server = TestServer::start().await;
    let unknown = [("user_email", "nobody")];
    get(&server, "user_profile", &unknown).await.refused(404, "user_not_found");
    post(&server, "reset_user_token", &unknown).await.refused(404, "user_not_found");
    get(&server, "get_user_rooms", &unknown).await.refused(404, "user_not_found");
    get(&server, "user_profile", &[("user_email", "system@shop")])
        .await
        .refused(403, "system_user");
    let wrong = json!({"email": "a b", "extras": 5});
    let refused = post_json(&server, "login_or_register", wrong).await;
    refused.refused(400, "invalid_request").says("email");
    // These calls are equal in both APIs.
    post_json(&server, "reactivate_users", json!({"user_ids": ["x"]}))
        .await
        .refused(404, "user_not_found");
    let listed = get(&server, "get_user_list", &[]).await.results();
    assert_eq!(each(&listed["users"], "email"), ["system@shop"]);
}
