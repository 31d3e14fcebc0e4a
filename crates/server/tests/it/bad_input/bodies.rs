//! Invalid bodies and media types.

use reqwest::Method;
use serde_json::json;

use crate::support::caller::sent;
use crate::support::raw_connection::RawConnection;
use crate::support::test_server::TestServer;

const BODY_BYTES_MAX: usize = 262_144;
const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";

/// Returns a valid post whose message is followed by this text.
fn post_ending(rest: &str) -> Vec<u8> {
    format!(r#"{{"user_id":"ana","room_id":"support","message":"hello{rest}"#).into_bytes()
}

fn bytes(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

#[tokio::test]
async fn an_invalid_body_is_refused_and_posts_nothing() {
    let server = TestServer::with_support_room().await;
    let deep = "[".repeat(64) + &"]".repeat(64);
    let table: Vec<(&str, &str, Vec<u8>, &str)> = vec![
        ("not JSON", JSON, b"hello".to_vec(), "not valid JSON"),
        ("a truncated body", JSON, post_ending(""), "not valid JSON"),
        ("a surplus brace", JSON, post_ending(r#""}}"#), "not valid JSON"),
        ("two objects", JSON, post_ending(r#""} {}"#), "not valid JSON"),
        ("a comma too many", JSON, post_ending(r#"",}"#), "not valid JSON"),
        ("single quotes", JSON, b"{'user_id':'ana'}".to_vec(), "not valid JSON"),
        ("a comment", JSON, b"{/* x */}".to_vec(), "not valid JSON"),
        ("NaN", JSON, post_ending(r#"","extras":NaN}"#), "not valid JSON"),
        ("an invalid number", JSON, post_ending(r#"","extras":01}"#), "not valid JSON"),
        ("a control character", JSON, post_ending("\n\"}"), "not valid"),
        ("a broken escape", JSON, post_ending(r#"\x"}"#), "not valid"),
        ("a list", JSON, b"[]".to_vec(), "must be a JSON object"),
        ("a list of the right length", JSON, br#"["ana","support","hi"]"#.to_vec(), "JSON object"),
        ("a string", JSON, br#""hello""#.to_vec(), "must be a JSON object"),
        ("a number", JSON, b"5".to_vec(), "must be a JSON object"),
        ("null", JSON, b"null".to_vec(), "must be a JSON object"),
        ("a repeated key", JSON, post_ending(r#"","message":"twice"}"#), "without repeated keys"),
        ("nothing", JSON, Vec::new(), "user_id is required"),
        ("blanks", JSON, b"  \n ".to_vec(), "user_id is required"),
        ("65 levels", JSON, post_ending(&format!(r#"","extras":{deep}}}"#)), "nested too deeply"),
        ("many levels", JSON, "[".repeat(200_000).into_bytes(), "nested too deeply"),
        (
            "65 levels in an unknown field",
            JSON,
            post_ending(&format!(r#"","x":{deep}}}"#)),
            "too deeply",
        ),
        ("invalid UTF-8", JSON, bytes(&[&post_ending(""), b"\xff\"}"]), "not valid UTF-8"),
        ("half a character", JSON, bytes(&[&post_ending(""), b"\xc3\"}"]), "not valid UTF-8"),
        ("an overlong NUL", JSON, bytes(&[&post_ending(""), b"\xc0\x80\"}"]), "not valid UTF-8"),
        ("UTF-16", JSON, b"\xff\xfe{\0}\0".to_vec(), "not valid UTF-8"),
        ("half a pair", JSON, post_ending(r#"\ud800"}"#), "surrogate"),
        ("the other half", JSON, post_ending(r#"\udc00"}"#), "surrogate"),
        ("a reversed pair", JSON, post_ending(r#"\udc00\ud800"}"#), "surrogate"),
        ("half a pair in extras", JSON, post_ending(r#"","extras":{"a":"\ud800"}}"#), "surrogate"),
        ("half a pair in a key", JSON, post_ending(r#"","extras":{"\ud800":1}}"#), "surrogate"),
        (
            "a form called JSON",
            JSON,
            b"user_id=ana&room_id=support&message=x".to_vec(),
            "not valid JSON",
        ),
        (
            "invalid UTF-8 in a form",
            FORM,
            b"user_id=ana&room_id=support&message=%ff".to_vec(),
            "not valid UTF-8",
        ),
        (
            "half a character in a form",
            FORM,
            b"user_id=ana&room_id=support&message=\xc3".to_vec(),
            "not valid UTF-8",
        ),
    ];
    for (what, kind, body, problem) in table {
        let answer = server.post_as("post_comment", kind, body).await;
        assert_eq!(answer.status, 400, "{what}: {}", answer.text);
        answer.refused(400, "invalid_request").says(problem);
        assert!(server.texts("support").await.is_empty(), "{what}");
    }
}

#[tokio::test]
async fn a_body_of_the_largest_size_is_accepted_and_one_byte_more_is_refused() {
    let server = TestServer::with_support_room().await;
    let of_size = |size: usize| {
        let mut body = post_ending(r#""}"#);
        body.resize(size, b' ');
        body
    };
    server.post_text("post_comment", of_size(BODY_BYTES_MAX)).await.results();
    let answer = server.post_text("post_comment", of_size(BODY_BYTES_MAX + 1)).await;
    answer.refused(413, "body_too_large").says("262144");
    let request = server.request(Method::DELETE, "delete_messages");
    sent(request.body(of_size(BODY_BYTES_MAX + 1))).await.refused(413, "body_too_large");
    assert_eq!(server.texts("support").await, ["hello"]);
}

#[tokio::test]
async fn a_chunked_body_is_limited_too() {
    let server = TestServer::with_support_room().await;
    let mut connection = RawConnection::open(&server.base).await;
    let head = format!(
        "POST /api/v2.1/rest/post_comment HTTP/1.1\r\nHost: confab\r\nSERVICE-SDK-APP-ID: {}\r\n\
         SERVICE-SDK-SECRET: {}\r\nTransfer-Encoding: chunked\r\n\r\n",
        server.code, server.secret
    );
    connection.write(head).await;
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    for _ in 0..4 {
        connection.write(&chunk).await;
    }
    connection.write("1\r\n \r\n").await;
    connection.answer().await.refused(413, "body_too_large");
}

#[tokio::test]
async fn other_media_types_are_refused() {
    let server = TestServer::with_support_room().await;
    for kind in [
        "text/plain",
        "text/json",
        "application/xml",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "json",
        "x",
        "application/octet-stream",
    ] {
        let answer = server.post_as("post_comment", kind, post_ending(r#""}"#)).await;
        answer.refused(415, "unsupported_media_type").says("application/json");
    }
    let request = server.request(Method::POST, "post_comment");
    let request = request.header("Content-Type", b"\xff".as_slice()).body(post_ending(r#""}"#));
    sent(request).await.refused(415, "unsupported_media_type");
    assert!(server.texts("support").await.is_empty());
}

#[tokio::test]
async fn omnichannel_calls_name_the_supported_media_types_and_a_missing_boundary() {
    let server = TestServer::start_quiet().await;
    let path = "/api/v2/app/config/new_session_webhook";
    let answered = async |kind: &str| {
        let request = server.keyed(Method::POST, path).header("Content-Type", kind);
        sent(request.body("enabled: true")).await
    };
    let refused = answered("text/plain").await.errors(415, "unsupported_media_type");
    for kind in ["multipart/form-data", FORM, JSON] {
        refused.says(kind);
    }
    for kind in ["multipart/form-data", "multipart/form-data; charset=utf-8"] {
        answered(kind).await.errors(400, "invalid_request").says("boundary");
    }
}

#[tokio::test]
async fn a_number_is_accepted_as_a_user_id_and_a_list_as_a_body_is_refused() {
    let server = TestServer::with_support_room().await;
    let number = json!({"user_id": 5, "room_id": "support", "message": "x"});
    server.post("post_comment", number.clone()).await.refused(404, "user_not_found").says("5");
    server.register("5").await;
    let added = json!({"room_id": "support", "user_ids": ["5"]});
    server.post("add_room_participants", added).await.results();
    assert_eq!(server.post("post_comment", number).await.results()["comment"]["message"], "x");
    let refused = server.post_text("post_comment", "[]").await.refused(400, "invalid_request");
    assert_eq!(refused.details, ["The body must be a JSON object, not a list"]);
}
