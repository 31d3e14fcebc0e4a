//! Forged webhooks of providers: their cost is bounded, and they only slow down the address that
//! they come from.

use confab_domain::limits;
use reqwest::Method;
use serde_json::json;

use crate::support::answer::Answer;
use crate::support::caller::{Caller, sent};
use crate::support::office::Office;
use crate::support::stand_ins::graph_api::signature;
use crate::support::test_server::TestServer;

const ATTACKER: &str = "198.51.100.7";
const PROVIDER: &str = "203.0.113.5";
const CUSTOMER: &str = "628123456789";

/// Starts a server that trusts a local proxy, so that requests come from many addresses.
async fn behind_a_proxy() -> TestServer {
    TestServer::start_with(&[
        ("trusted_proxies", "127.0.0.1/32"),
        ("public_url", "https://confab.example"),
    ])
    .await
}

/// Connects a WhatsApp number of a Meta app, without a request to Meta.
async fn connect(app: &Caller, number: usize, secret: &str) -> i64 {
    let body = json!({
        "access_token": format!("EAAG-token-of-{number}"), "app_secret": secret,
        "phone_number_id": number.to_string(), "business_id": "1", "base_url": "log:",
    });
    let made = Office::of(app).post("/api/v2/wa/connect", body).await.data();
    made["wa_channel"]["id"].as_i64().expect("an id")
}

/// Creates a webhook about a message to a number, padded to a length.
fn webhook(number: usize, bytes: usize) -> String {
    let body = |padding: &str| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let at = now.expect("after 1970").as_secs().to_string();
        json!({"object": "whatsapp_business_account", "entry": [{"id": "1", "changes": [{
        "field": "messages", "value": {
            "messaging_product": "whatsapp", "padding": padding,
            "metadata": {"phone_number_id": number.to_string(), "display_phone_number": "1"},
            "messages": [{"id": format!("wamid.{number}.{bytes}"), "type": "text",
                "from": CUSTOMER, "timestamp": at, "text": {"body": "hello"}}],
        }}]}]})
        .to_string()
    };
    let short = body("").len();
    body(&"x".repeat(bytes.saturating_sub(short)))
}

async fn post(from: &str, app: &Caller, path: &str, secret: &str, body: String) -> Answer {
    let request = app
        .bare(Method::POST, &format!("/api/v2/hooks/{path}"))
        .header("x-forwarded-for", from)
        .header("x-hub-signature-256", signature(secret, &body))
        .header("content-type", "application/json");
    sent(request.body(body)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn forged_webhooks_are_limited_by_address_and_valid_ones_still_arrive() {
    let server = behind_a_proxy().await;
    let other = server.create_app("other").await;
    let channel = connect(&server, 1, "secret-of-shop-1234").await;
    let theirs = connect(&other, 2, "secret-of-other-1234").await;
    let meta = format!("meta/{}", server.code);
    let own = format!("wa/{channel}");
    // The attacker knows the app's code and guesses the channel's id.
    let mut forged = 0;
    for path in [&meta, &own].into_iter().cycle() {
        let body = webhook(1, limits::HOOK_BYTES_MAX);
        let answer = post(ATTACKER, &server, path, "a guess", body).await;
        if answer.status == 429 {
            answer.errors(429, "rate_limited");
            let seconds: u64 = answer.header("retry-after").parse().expect("seconds");
            assert!((1..=60).contains(&seconds), "{seconds}");
            break;
        }
        answer.errors(403, "forged");
        forged += 1;
        assert!(forged < 100, "forged webhooks are limited");
    }
    assert!(forged >= 2, "{forged}");
    for path in [
        &meta,
        &own,
        "meta/other",
        "meta/nobody",
        &format!("wa/{theirs}"),
        "line/1",
        "telegram/1",
        "fb/1",
    ] {
        let answer = post(ATTACKER, &server, path, "a guess", webhook(1, 0)).await;
        answer.errors(429, "rate_limited");
    }
    // The provider sends events to both apps, large ones too.
    for bytes in [0, 3_000_000] {
        for path in [&meta, &own] {
            let body = webhook(1, bytes);
            let answer = post(PROVIDER, &server, path, "secret-of-shop-1234", body).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
        let body = webhook(2, bytes);
        let answer = post(PROVIDER, &other, "meta/other", "secret-of-other-1234", body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_refused_after_many_small_forged_webhooks() {
    let server = behind_a_proxy().await;
    let most = limits::FORGED_HOOK_BYTES_MAX / limits::FORGED_HOOK_BYTES_MIN;
    for forged in 0.. {
        let path = format!("meta/{}", server.code);
        let answer = post(ATTACKER, &server, &path, "a guess", "{}".to_owned()).await;
        if answer.status == 429 {
            assert!(forged >= most, "{forged}");
            break;
        }
        answer.errors(403, "forged");
        // Some failures have expired in between.
        assert!(forged < 20 * most, "forged webhooks are limited");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_app_secret_is_tried_once_and_only_a_few_for_large_webhooks() {
    let server = behind_a_proxy().await;
    let meta = format!("meta/{}", server.code);
    let secret = |number: usize| format!("secret-of-meta-app-{number}");
    for number in 10..20 {
        connect(&server, number, &secret(0)).await;
    }
    let mut channels = Vec::new();
    for number in 1..=5 {
        channels.push(connect(&server, number, &secret(number)).await);
    }
    let status = async |path: &str, number: usize, secret: String, bytes: usize| {
        post(PROVIDER, &server, path, &secret, webhook(number, bytes)).await.status
    };
    let large = limits::HOOK_BYTES_MAX;
    let few = limits::HOOK_HASHED_BYTES_MAX / large;
    assert_eq!(few, 4);
    // Ten channels share the first secret, and count as one.
    assert_eq!(status(&meta, 13, secret(0), large).await, 200);
    assert_eq!(status(&meta, 3, secret(3), large).await, 200);
    assert_eq!(status(&meta, 4, secret(4), large).await, 403, "the fifth secret");
    // Webhooks are nearly always small, and a channel's own URL has one secret.
    assert_eq!(status(&meta, 5, secret(5), 1_000).await, 200);
    assert_eq!(status(&format!("wa/{}", channels[4]), 5, secret(5), large).await, 200);
    // A body counts only for channels whose secret signed it.
    assert_eq!(status(&meta, 3, secret(5), 1_000).await, 200);
    assert_eq!(status(&meta, 3, "a guess".to_owned(), 1_000).await, 403);
}
