//! Rights that end during a request: the head and three bytes of the body arrive before, the rest
//! afterwards. Callers are authenticated when the body is complete (design/sign-in-and-limits).

use serde_json::{Value, json};

use crate::support::answer::Answer;
use crate::support::client::Client;
use crate::support::office::Office;
use crate::support::raw_connection::RawConnection;
use crate::support::test_server::TestServer;

/// Sends all but the end of the body, revokes the right, then sends the rest.
async fn held(
    server: &TestServer,
    line: &str,
    headers: &[(&str, &str)],
    body: Value,
    end: impl Future<Output = ()>,
) -> Answer {
    let mut connection = RawConnection::open(&server.base).await;
    let rest = connection.begin(line, headers, &body.to_string()).await;
    end.await;
    connection.finish(rest).await
}

fn message() -> Value {
    json!({"user_id": "ana", "room_id": "support", "message": "too late"})
}

#[tokio::test]
async fn an_sdk_secret_replaced_during_a_request_cannot_post() {
    let server = TestServer::with_support_room().await;
    let headers =
        [("SERVICE-SDK-APP-ID", server.code.as_str()), ("SERVICE-SDK-SECRET", &server.secret)];
    let line = "POST /api/v2.1/rest/post_comment";
    let answer = held(&server, line, &headers, message(), async {
        server.set_keys("another secret", "another key").await;
        // Cached keys may be one second out of date.
        while server.get("user_profile", &[("user_id", "ana")]).await.status == 200 {}
    });
    answer.await.refused(401, "unauthorized");
    assert!(server.with_secret("another secret").texts("support").await.is_empty());
}

#[tokio::test]
async fn a_secret_key_replaced_during_a_request_cannot_create_an_admin() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let headers =
        [("SERVICE-App-Id", server.code.as_str()), ("SERVICE-Secret-Key", "secret-key-of-shop")];
    let answer = held(&server, "POST /api/v2/admin/create_agent", &headers, new_admin(), async {
        server.set_keys(&server.secret, "another key").await;
        while office.get("/api/v2/admin/agents", &[]).await.status == 200 {}
    });
    assert_eq!(answer.await.status, 401);
    server.set_keys(&server.secret, "secret-key-of-shop").await;
    while office.get("/api/v2/admin/agents", &[]).await.status != 200 {}
    assert_eq!(office.try_to_sign_in("eve", PASSWORD).await.status, 401);
}

const PASSWORD: &str = crate::support::office::PASSWORD;

fn new_admin() -> Value {
    json!({"name": "eve", "email": "eve@shop.example", "password": PASSWORD, "type": "admin"})
}

#[tokio::test]
async fn an_admin_who_logs_out_during_a_request_cannot_create_an_admin() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let admin = office.hire("ann", "admin").await;
    let headers = [("Authorization", admin.token.as_str())];
    let line = "POST /api/v2/admin/create_agent";
    let answer = held(&server, line, &headers, new_admin(), async {
        assert_eq!(admin.log_out().await.status, 200);
    });
    assert_eq!(answer.await.status, 401);
    assert_eq!(office.try_to_sign_in("eve", PASSWORD).await.status, 401);
}

#[tokio::test]
async fn an_admin_deleted_or_demoted_during_a_request_cannot_create_an_admin() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    // An app must keep its last admin.
    office.hire("zoe", "admin").await;
    for (name, status) in [("ann", 401), ("joe", 403)] {
        let admin = office.hire(name, "admin").await;
        let headers = [("Authorization", admin.token.as_str())];
        let line = "POST /api/v2/admin/create_agent";
        let answer = held(&server, line, &headers, new_admin(), async {
            let (path, body) = match status {
                401 => (format!("/api/v1/admin/agent/{}/delete", admin.id), json!({})),
                _ => {
                    let path = format!("/api/v2/admin/agent/{}/update", admin.id);
                    (path, json!({"type": "agent"}))
                }
            };
            let ended = office.post(&path, body).await;
            assert_eq!(ended.status, 200, "{}", ended.text);
        });
        let answer = answer.await;
        // A demoted admin may have to sign in again.
        assert!([401, status].contains(&answer.status), "{}", answer.text);
        assert_eq!(office.try_to_sign_in("eve", PASSWORD).await.status, 401);
    }
}

#[tokio::test]
async fn a_user_token_reset_during_a_request_cannot_post() {
    let server = TestServer::with_support_room().await;
    let ana = Client::of(&server, "ana").await;
    let room = server.get("get_rooms_info", &[("room_ids[]", "support")]).await.results();
    let topic_id = &room["rooms"][0]["room_id"];
    let body = json!({"topic_id": topic_id, "comment": "too late", "type": "text"});
    let headers = [("SERVICE-SDK-TOKEN", ana.token.as_str())];
    let line = "POST /api/v2/sdk/post_comment";
    let answer = held(&server, line, &headers, body.clone(), async {
        server.post("reset_user_token", json!({"user_id": "ana"})).await.results();
    });
    assert_eq!(answer.await.status, 403);
    assert!(server.texts("support").await.is_empty());
    let ana = Client::of(&server, "ana").await;
    assert_eq!(ana.post("post_comment", body).await.status, 200, "the body is valid");
}

#[tokio::test]
async fn callers_are_authenticated_after_a_chunked_body_even_of_a_get_request() {
    let server = TestServer::with_support_room().await;
    let ana = Client::of(&server, "ana").await;
    let mut connections = Vec::new();
    for method in ["PATCH /api/v2/sdk/my_profile", "GET /api/v2/sdk/my_profile"] {
        let mut connection = RawConnection::open(&server.base).await;
        let head = format!(
            "{method} HTTP/1.1\r\nHost: confab\r\nSERVICE-SDK-TOKEN: {}\r\n\
             Content-Type: application/json\r\nExpect: 100-continue\r\n\
             Transfer-Encoding: chunked\r\n\r\n",
            ana.token
        );
        connection.write(head).await;
        connection.expect("HTTP/1.1 100 Continue\r\n\r\n").await;
        connection.write("3\r\n{\"n\r\n").await;
        connections.push(connection);
    }
    server.post("reset_user_token", json!({"user_id": "ana"})).await.results();
    for connection in &mut connections {
        connection.write("9\r\name\":\"x\"}\r\n0\r\n\r\n").await;
        let answer = connection.answer().await;
        answer.refused(403, "unauthorized");
    }
}
