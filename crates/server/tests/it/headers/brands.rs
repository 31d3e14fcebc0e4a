//! Header names start with a brand, in any case and with `_` for `-` (wire facts 1).

use reqwest::Method;

use crate::support::answer::Answer;
use crate::support::caller::sent;
use crate::support::raw_connection::RawConnection;
use crate::support::test_server::TestServer;

/// Requests ana's profile with these names of the two headers.
async fn profile_with(server: &TestServer, app_id: &str, secret: &str) -> Answer {
    let mut connection = RawConnection::open(&server.base).await;
    let request = format!(
        "GET /api/v2.1/rest/user_profile?user_id=ana HTTP/1.1\r\nHost: confab\r\n\
         {app_id}: {}\r\n{secret}: {}\r\n\r\n",
        server.code, server.secret
    );
    connection.write(request).await;
    connection.answer().await
}

#[tokio::test]
async fn header_names_ignore_case_and_accept_underscores_for_hyphens() {
    let server = TestServer::with_support_room().await;
    for (app_id, secret) in [
        ("SERVICE-SDK-APP-ID", "SERVICE-SDK-SECRET"),
        ("service-sdk-app-id", "service-sdk-secret"),
        ("Service-Sdk-App-Id", "Service-Sdk-Secret"),
        ("SERVICE_SDK_APP_ID", "SERVICE_SDK_SECRET"),
        ("service_sdk_app_id", "SERVICE-SDK-SECRET"),
        ("Service_Sdk-App_Id", "sErViCe-sDk_sEcReT"),
    ] {
        profile_with(&server, app_id, secret).await.results();
    }
}

#[tokio::test]
async fn only_configured_brands_are_accepted() {
    let server = TestServer::with_support_room().await;
    for (app_id, secret) in [
        ("ACME-SDK-APP-ID", "ACME-SDK-SECRET"),
        ("SERVICE-SDK-APP-ID", "ACME-SDK-SECRET"),
        ("SDK-APP-ID", "SDK-SECRET"),
        ("SERVICE-APP-ID", "SERVICE-SECRET"),
        ("X-SERVICE-SDK-APP-ID", "X-SERVICE-SDK-SECRET"),
        ("SERVICESDKAPPID", "SERVICESDKSECRET"),
    ] {
        profile_with(&server, app_id, secret).await.refused(401, "unauthorized");
    }
}

#[tokio::test]
async fn all_configured_brands_are_accepted_and_can_be_mixed() {
    let server = TestServer::start_with(&[("brands", "Acme,x-y")]).await;
    for (app_id, secret) in [
        ("ACME-SDK-APP-ID", "acme_sdk_secret"),
        ("X-Y-SDK-APP-ID", "X_Y_SDK_SECRET"),
        ("ACME-SDK-APP-ID", "X-Y-SDK-SECRET"),
    ] {
        // No user is registered; only valid credentials lead to this error.
        profile_with(&server, app_id, secret).await.refused(404, "user_not_found");
    }
    let answer = profile_with(&server, "SERVICE-SDK-APP-ID", "SERVICE-SDK-SECRET").await;
    answer.refused(401, "unauthorized");
}

#[tokio::test]
async fn a_header_that_is_not_text_is_refused_as_a_credential() {
    let server = TestServer::with_support_room().await;
    let request = server
        .bare(Method::GET, "user_profile?user_id=ana")
        .header("SERVICE-SDK-APP-ID", &server.code)
        .header("SERVICE-SDK-SECRET", b"\xff\xfe".as_slice());
    sent(request).await.refused(401, "unauthorized");
}
