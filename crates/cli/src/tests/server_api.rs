//! Interpretation of responses. Calls to a real server are tested with the commands themselves.

use std::time::Duration;

use bytes::Bytes;
use hyper::{HeaderMap, StatusCode};
use url::Url;

use crate::remote::api_client::ApiResponse;
use crate::remote::server_api::{AnswerData, AppCredentials, ServerApi, data_of};

fn answer(status: u16, body: &'static str) -> ApiResponse {
    let status = StatusCode::from_u16(status).expect("a status");
    let (headers, body) = (HeaderMap::new(), Bytes::from_static(body.as_bytes()));
    ApiResponse { status, headers, body, took: Duration::ZERO }
}

/// Returns the error text for such a response, and whether the failure may be temporary.
fn said_of(status: u16, body: &'static str) -> (String, bool) {
    let error = data_of(&answer(status, body)).expect_err("a failure");
    (error.to_string(), error.is_passing())
}

#[test]
fn the_data_of_a_response_are_returned_unchanged() {
    let data = data_of(&answer(200, r#"{"data":{"z":1.0, "a":[]},"status":200}"#));
    assert_eq!(data.as_ref().map(AnswerData::text).ok(), Some(r#"{"z":1.0, "a":[]}"#));
}

#[test]
fn a_server_url_may_have_a_path_prefix() {
    for (server, url) in [
        ("http://a", "http://a/api/v2/webhooks/endpoints"),
        ("https://a/below/this/", "https://a/below/this/api/v2/webhooks/endpoints"),
    ] {
        let (brand, app_code) = ("SERVICE".to_owned(), "shop".to_owned());
        let credentials = AppCredentials { brand, app_code, secret_key: "planted".to_owned() };
        let api = ServerApi::new(Url::parse(server).expect("a URL"), credentials).expect("an API");
        assert_eq!(api.url("/endpoints").as_str(), url);
    }
}

#[test]
fn refusals_are_shown_with_all_details_and_without_control_characters() {
    let body = r#"{"errors":{"message":"Bad \u001brequest","code":"x",
        "detailed_messages":["url is blocked","limit is too large"]},"status":400}"#;
    let (said, is_passing) = said_of(400, body);
    let expected = "the server refused the request: Bad \u{fffd}request: url is blocked; limit is \
        too large (400 Bad Request)";
    assert_eq!((said.as_str(), is_passing), (expected, false));
    let body = r#"{"error":{"message":"Nothing here.","detailed_messages":["Nothing here."]}}"#;
    let (said, _) = said_of(404, body);
    assert_eq!(said, "the server refused the request: Nothing here. (404 Not Found)");
    let (said, is_passing) = said_of(401, "");
    assert!(said.contains("(401 Unauthorized); check --app") && !is_passing, "{said}");
}

#[test]
fn responses_of_other_programs_fail_and_gateway_errors_count_as_temporary() {
    for (status, body, may_pass) in [
        (200, "<html>hello</html>", false),
        (200, "{}", false),
        (404, "not here", false),
        (502, "bad gateway", true),
        (503, "", true),
        (429, "{}", true),
    ] {
        let (said, is_passing) = said_of(status, body);
        assert!(said.contains("not from Confab's"), "{said}");
        assert_eq!(is_passing, may_pass, "{status}");
    }
}
