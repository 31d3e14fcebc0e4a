//! Wrong passwords and floods of passwords slow down only the address that they come from (D-0069).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use confab_domain::limits;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::answer::Answer;
use crate::support::caller::{Caller, sent, urlencoded, with_json};
use crate::support::client;
use crate::support::office::{Office, PASSWORD};
use crate::support::raw_connection::RawConnection;
use crate::support::test_server::TestServer;

/// Starts a server that trusts a local proxy, so that tests come from many addresses.
async fn behind_a_proxy() -> TestServer {
    TestServer::start_with(&[
        ("trusted_proxies", "127.0.0.1/32"),
        ("address_registrations_per_hour", "0"),
    ])
    .await
}

const ATTACKER: &str = "198.51.100.7";
const OWNER: &str = "203.0.113.5";

async fn post_from(address: &str, caller: &Caller, path: &str, fields: &[(&str, &str)]) -> Answer {
    let request = caller
        .bare(Method::POST, path)
        .header("SERVICE-SDK-APP-ID", &caller.code)
        .header("X-Forwarded-For", address)
        .header("Content-Type", "application/x-www-form-urlencoded");
    sent(request.body(urlencoded(fields))).await
}

async fn sign_in_from(address: &str, caller: &Caller, name: &str, password: &str) -> Answer {
    let email = format!("{name}@shop.example");
    let fields = [("email", email.as_str()), ("password", password)];
    post_from(address, caller, "/api/v1/auth", &fields).await
}

async fn log_in_from(address: &str, caller: &Caller, user: &str, password: &str) -> Answer {
    let fields = [("email", user), ("password", password), ("username", user)];
    post_from(address, caller, "/api/v2/sdk/login_or_register", &fields).await
}

#[tokio::test]
async fn wrong_passwords_delay_sign_ins_from_their_address_only() {
    let server = behind_a_proxy().await;
    let office = Office::of(&server);
    let ana = office.hire("ana", "agent").await;
    for _ in 0..limits::SIGN_IN_TRIES_MAX {
        sign_in_from(ATTACKER, &server, "ana", "a wrong one").await.errors(401, "unauthorized");
    }
    let slowed = sign_in_from(ATTACKER, &server, "ana", PASSWORD).await;
    slowed.errors(429, "too_many_tries");
    let seconds: u64 = slowed.header("retry-after").parse().expect("seconds");
    assert!(seconds <= limits::SIGN_IN_TRY_EVERY_MS / 1_000, "the delay is bounded");
    sign_in_from(OWNER, &server, "ana", PASSWORD).await.data();
    assert!(ana.is_signed_in().await, "existing sign-ins stay valid");
    let body = json!({"current_password": PASSWORD, "new_password": "another one of ours"});
    ana.post("/api/v1/auth/change_password", body).await.data();
    sign_in_from(OWNER, &server, "ana", "another one of ours").await.data();
}

/// Signs a dashboard page in from this address, with cookies of earlier responses.
async fn page_from(address: &str, caller: &Caller, cookies: &str, body: Value) -> Answer {
    let request = caller.bare(Method::POST, "/api/v2/sign_in").header("x-confab", "1");
    let request = request.header("X-Forwarded-For", address).header("cookie", cookies);
    sent(with_json(request, &body)).await
}

/// Returns the cookie that identifies a browser after its first sign-in.
fn device_cookie(answer: &Answer) -> String {
    let set = answer.headers.get_all("set-cookie").iter().map(|it| it.to_str().expect("text"));
    let mut devices = set.filter(|it| it.starts_with("confab-device="));
    let device = devices.next().expect("a device cookie");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=15552000"] {
        assert!(device.contains(part), "{part}: {device}");
    }
    device.split(';').next().expect("a cookie").to_owned()
}

#[tokio::test]
async fn wrong_passwords_do_not_block_a_known_browser_or_a_sign_in_link() {
    let server = behind_a_proxy().await;
    let office = Office::of(&server);
    let id = office.create("ana", "agent").await["id"].clone();
    office.create("bob", "agent").await;
    let by_password = |name: &str| json!({"email": office.email(name), "password": PASSWORD});
    let owners = page_from(OWNER, &server, "", by_password("ana")).await;
    owners.data();
    let known = device_cookie(&owners);
    let of_bob = device_cookie(&page_from(OWNER, &server, "", by_password("bob")).await);
    for number in 0..15 {
        let guess = sign_in_from(OWNER, &server, "ana", "a wrong one").await;
        assert_eq!(guess.status, if number < limits::SIGN_IN_TRIES_MAX { 401 } else { 429 });
    }
    let forged = format!("{}; confab-device=9999999999.x.AAAA", of_bob);
    for cookies in ["", &of_bob, &forged] {
        let stranger = page_from(OWNER, &server, cookies, by_password("ana")).await;
        stranger.errors(429, "too_many_tries");
    }
    page_from(OWNER, &server, &known, by_password("ana")).await.data();
    page_from(OWNER, &server, &format!("{known}; {of_bob}"), by_password("ana")).await.data();
    page_from("192.0.2.77", &server, "", by_password("ana")).await.data();
    let link = office.post(&format!("/api/v2/admin/agent/{id}/sign_in_link"), json!({})).await;
    let link = link.data().to_string();
    let (_, code) = link.split_once("/dashboard/sign-in#").expect("a link");
    let code = code.split('"').next().expect("a code");
    page_from(OWNER, &server, "", json!({"code": code})).await.data();
    // A recognized browser has a limit on guesses, too.
    let wrong = json!({"email": office.email("ana"), "password": "a wrong one"});
    for _ in 0..limits::SIGN_IN_TRIES_MAX {
        let guess = page_from(OWNER, &server, &known, wrong.clone()).await;
        guess.errors(401, "unauthorized");
    }
    let slowed = page_from(OWNER, &server, &known, by_password("ana")).await;
    slowed.errors(429, "too_many_tries");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_passwords_of_many_users_block_log_ins_to_that_app_from_that_address_only() {
    let server = behind_a_proxy().await;
    let other = server.create_app("other").await;
    Office::of(&server).create("ana", "agent").await;
    let guesses = limits::PEER_SIGN_IN_TRIES_MAX as usize;
    let mut guessed = 0;
    loop {
        let user = format!("user-{guessed}");
        server.register(&user).await;
        let answer = log_in_from(ATTACKER, &server, &user, "a guess").await;
        if answer.status == 429 {
            answer.refused(429, "too_many_tries");
            break;
        }
        answer.refused(401, "unauthorized");
        guessed += 1;
        // One failure per second expires during the attempts.
        assert!(guessed < 10 * guesses, "wrong passwords are limited");
    }
    assert!(guessed >= guesses, "{guessed}");
    log_in_from(OWNER, &server, "a-newcomer", "secret").await.results();
    log_in_from(ATTACKER, &other, "a-newcomer", "secret").await.results();
    sign_in_from(ATTACKER, &server, "ana", PASSWORD).await.data();
}

#[tokio::test(flavor = "multi_thread")]
async fn abandoned_sign_in_requests_do_not_block_other_sign_ins() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    office.create("ana", "agent").await;
    client::log_in(&server, "bob", "secret").await.results();
    let body = urlencoded(&[("email", "nobody@shop.example"), ("password", "a wrong one")]);
    let request = format!(
        "POST /api/v1/auth HTTP/1.1\r\nHost: confab\r\nContent-Length: {}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\n\r\n{body}",
        body.len()
    );
    for _ in 0..400 {
        RawConnection::open(&server.base).await.write(&request).await;
    }
    office.sign_in("ana").await;
    client::log_in(&server, "bob", "secret").await.results();
}

/// Registrations that repeat until they are stopped.
struct Flood {
    running: JoinSet<()>,
    is_over: Arc<AtomicUsize>,
    refused: Arc<AtomicUsize>,
}

impl Flood {
    fn start(caller: &Caller) -> Self {
        let (is_over, refused) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let mut running = JoinSet::new();
        for number in 0..300 {
            let (caller, is_over, refused) = (caller.clone(), is_over.clone(), refused.clone());
            running.spawn(async move {
                let mut round = 0;
                while is_over.load(Ordering::SeqCst) == 0 {
                    round += 1;
                    let user = format!("flood-{number}-{round}");
                    let answer = log_in_from(ATTACKER, &caller, &user, "secret").await;
                    // On a slow machine, some registrations time out.
                    if answer.status == 200 || answer.status == 408 {
                        continue;
                    }
                    answer.refused(429, "too_many_at_once");
                    assert_ne!(answer.header("retry-after"), "");
                    refused.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        Self { running, is_over, refused }
    }

    /// Returns when the queue is full.
    async fn until_refused(&self) {
        while self.refused.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
    }

    async fn stop(self) {
        self.is_over.store(1, Ordering::SeqCst);
        self.running.join_all().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_registrations_is_bounded_and_does_not_block_other_requests() {
    let server = behind_a_proxy().await;
    let other = server.create_app("other").await;
    let office = Office::of(&server);
    office.create("ana", "agent").await;
    let flood = Flood::start(&server);
    flood.until_refused().await;
    // The queue stays full. Requests that do not need it are answered.
    sign_in_from(ATTACKER, &server, "ana", PASSWORD).await.data();
    log_in_from(ATTACKER, &other, "bob", "secret").await.results();
    let body = json!({"user_id": "carl", "username": "Carl", "password": "secret"});
    server.post("login_or_register", body).await.results();
    office.create("dora", "agent").await;
    log_in_from(OWNER, &server, "a-newcomer", "secret").await.results();
    flood.stop().await;
}
