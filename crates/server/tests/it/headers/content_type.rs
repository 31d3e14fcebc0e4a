//! The content type of every JSON response is exactly `application/json` (wire facts 1).

use reqwest::Method;

use crate::support::caller::sent;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn every_json_response_has_the_content_type_application_json() {
    let server = TestServer::with_support_room().await;
    let too_large = vec![b' '; 300_000];
    let answers = [
        (200, server.get("load_comments", &[("room_id", "support")]).await),
        (400, server.get("load_comments", &[]).await),
        (401, server.with_secret("guess").get("load_comments", &[]).await),
        (404, server.get("load_comments", &[("room_id", "nowhere")]).await),
        (404, sent(server.request(Method::GET, "/nowhere")).await),
        (405, server.get("post_comment", &[]).await),
        (413, server.post_text("post_comment", too_large).await),
        (415, server.post_as("post_comment", "text/plain", "x").await),
        (200, sent(server.bare(Method::GET, "/health")).await),
    ];
    for (status, answer) in answers {
        assert_eq!(answer.status, status, "{}", answer.text);
        let all: Vec<_> = answer.headers.get_all("content-type").iter().collect();
        assert_eq!(all, ["application/json"], "{status}");
    }
}

#[tokio::test]
async fn the_accept_header_is_ignored() {
    let server = TestServer::with_support_room().await;
    for accept in ["text/html", "application/xml", "*/*", "application/json; charset=latin1"] {
        let request = server.request(Method::GET, "load_comments?room_id=support");
        sent(request.header("Accept", accept)).await.results();
    }
}
