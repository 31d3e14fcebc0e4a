//! `get_user_list`: pages of an app's users.

use serde_json::{Value, json};

use crate::support::answer::{each, keys};
use crate::support::test_server::TestServer;

/// Starts a server with ana, bob and cid, registered in this order, and bob deactivated.
async fn with_three() -> TestServer {
    let server = TestServer::start().await;
    for user in ["ana", "bob", "cid"] {
        server.register(user).await;
    }
    server.delete("deactivate_users", json!({"user_ids": ["bob"]})).await.results();
    server
}

async fn list(server: &TestServer, query: &[(&str, &str)]) -> Value {
    server.get("get_user_list", query).await.results()
}

#[tokio::test]
async fn a_listed_user_has_all_fields_that_clients_read() {
    let server = with_three().await;
    let results = list(&server, &[("order_query", "created_at desc nulls last")]).await;
    assert_eq!(keys(&results), ["meta", "users"]);
    assert_eq!(keys(&results["meta"]), ["total_data", "total_page"]);
    let cid = &results["users"][0];
    let fields = [
        "active",
        "avatar_url",
        "created_at",
        "email",
        "extras",
        "id",
        "name",
        "updated_at",
        "username",
    ];
    assert_eq!(keys(cid), fields);
    assert_eq!(
        (&cid["email"], &cid["name"], &cid["username"]),
        (&json!("cid"), &json!("Cid"), &json!("Cid"))
    );
    assert_eq!((&cid["active"], &cid["extras"]), (&json!(true), &json!({})));
    assert!(cid["id"].as_i64().is_some_and(|id| id > 0 && id < 1 << 53), "{cid}");
    for time in ["created_at", "updated_at"] {
        cid[time].as_str().expect("a text").parse::<jiff::Timestamp>().expect("a time");
    }
}

#[tokio::test]
async fn deactivated_users_are_listed_only_with_show_all() {
    let server = with_three().await;
    let active = list(&server, &[("order_query", "user_id asc")]).await;
    assert_eq!(each(&active["users"], "email"), ["ana", "cid", "system@shop"]);
    assert_eq!(active["meta"], json!({"total_data": 3, "total_page": 1}));
    for yes in ["true", "1"] {
        let all = list(&server, &[("show_all", yes), ("order_query", "user_id asc")]).await;
        assert_eq!(each(&all["users"], "email"), ["ana", "bob", "cid", "system@shop"]);
        assert_eq!(all["users"][1]["active"], json!(false));
        assert_eq!(all["meta"]["total_data"], 4);
    }
    let answer = server.get("get_user_list", &[("show_all", "perhaps")]).await;
    answer.refused(400, "invalid_request").says("show_all");
}

#[tokio::test]
async fn pages_have_20_users_by_default_and_at_most_100() {
    let server = TestServer::start().await;
    for number in 100..140 {
        server.register(&format!("user{number}")).await;
    }
    let page = |number: &str, limit: &str| {
        let query = [("order_query", "user_id desc"), ("page", number), ("limit", limit)];
        let query = query.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let server = &server;
        async move {
            let query: Vec<_> = query.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
            list(server, &query).await
        }
    };
    let first = page("1", "").await;
    assert_eq!(first["meta"], json!({"total_data": 41, "total_page": 3}));
    assert_eq!(each(&first["users"], "email").len(), 20);
    assert_eq!(first["users"][0]["email"], "user139");
    assert_eq!(page("2", "20").await["users"][0]["email"], "user119");
    assert_eq!(each(&page("3", "20").await["users"], "email").len(), 1);
    assert!(each(&page("4", "20").await["users"], "email").is_empty());
    assert!(each(&page("9223372036854775807", "100").await["users"], "email").is_empty());
    assert_eq!(each(&page("1", "100").await["users"], "email").len(), 41);
    assert_eq!(each(&page("1", "101").await["users"], "email").len(), 20);
    assert_eq!(page("1", "10").await["meta"]["total_page"], 5);
}

#[tokio::test]
async fn the_list_is_ordered_as_requested() {
    let server = TestServer::start().await;
    for (user, name) in [("b", "Zoe"), ("a", "Yan"), ("c", "Xia")] {
        let body = json!({"user_id": user, "username": name});
        server.post("login_or_register", body).await.results();
    }
    let table = [
        ("", ["system@shop", "b", "a", "c"]),
        ("created_at asc", ["system@shop", "b", "a", "c"]),
        ("created_at desc", ["c", "a", "b", "system@shop"]),
        ("username", ["system@shop", "c", "a", "b"]),
        ("USERNAME DESC NULLS FIRST", ["b", "a", "c", "system@shop"]),
        ("user_id desc", ["system@shop", "c", "b", "a"]),
    ];
    for (order, expected) in table {
        let results = list(&server, &[("order_query", order)]).await;
        assert_eq!(each(&results["users"], "email"), expected, "{order}");
    }
    for wrong in ["password", "created_at down", "username; DROP TABLE users", "user_id desc, id"] {
        let answer = server.get("get_user_list", &[("order_query", wrong)]).await;
        answer.refused(400, "invalid_request").says("order_query");
    }
}
