//! Responses sent before the request body is read announce that the connection closes.

use crate::support::raw_connection::RawConnection;
use crate::support::test_server::TestServer;

async fn check(server: &TestServer, request: &str, status: u16, is_closed: bool) {
    let mut connection = RawConnection::open(&server.base).await;
    connection.write(request).await;
    let answer = connection.answer().await;
    assert_eq!(answer.status, status, "{request}");
    assert_eq!(answer.header("connection"), if is_closed { "close" } else { "" }, "{request}");
    if is_closed {
        assert!(connection.rest().await.is_empty(), "{request}");
    } else {
        connection.write("GET /health HTTP/1.1\r\nHost: confab\r\n\r\n").await;
        assert_eq!(connection.answer().await.status, 200, "{request}");
    }
}

#[tokio::test]
async fn a_response_before_the_end_of_the_body_closes_the_connection() {
    let server = TestServer::start().await;
    let post = |path: &str, rest: &str| format!("POST {path} HTTP/1.1\r\nHost: confab\r\n{rest}");
    let (known, unknown) = ("/api/v2.1/rest/post_comment", "/nowhere");
    check(&server, &post(known, "Content-Length: 262145\r\n\r\n"), 413, true).await;
    let expecting = "Content-Length: 262145\r\nExpect: 100-continue\r\n\r\n";
    check(&server, &post(known, expecting), 413, true).await;
    check(&server, &post(unknown, "Content-Length: 9\r\n\r\n{"), 404, true).await;
    check(&server, &post(unknown, "Transfer-Encoding: chunked\r\n\r\n"), 404, true).await;
    let half_form = "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 999\r\n\
                     SERVICE-SDK-TOKEN: wrong\r\n\r\n--x";
    check(&server, &post("/api/v2/sdk/upload", half_form), 403, true).await;
}

#[tokio::test]
async fn a_response_after_the_body_leaves_the_connection_open() {
    let server = TestServer::start().await;
    let post = |path: &str, rest: &str| format!("POST {path} HTTP/1.1\r\nHost: confab\r\n{rest}");
    let known = "/api/v2.1/rest/post_comment";
    check(&server, &post(known, "Content-Length: 2\r\n\r\n{}"), 401, false).await;
    check(&server, &post(known, "Content-Length: 0\r\n\r\n"), 401, false).await;
    let chunked = "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    check(&server, &post(known, chunked), 401, false).await;
    check(&server, &post("/health", "Content-Length: 2\r\n\r\n{}"), 405, false).await;
    check(&server, "GET /nowhere HTTP/1.1\r\nHost: confab\r\n\r\n", 404, false).await;
}
