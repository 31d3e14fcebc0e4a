//! A full or failing disk: no request that was not stored is acknowledged (design/storage).

use confab_test_servers::postgres::Setup;
use futures_util::future::join_all;
use reqwest::Method;
use rustix::process::{Pid, Resource, Rlimit, prlimit};

use crate::sdk::uploads::upload;
use crate::support::answer::Answer;
use crate::support::caller::{Caller, sent};
use crate::support::client::Client;
use crate::support::process::{Confab, Folder};
use crate::support::waiting::{until_so, until_status};

/// Tries to post a message.
async fn try_post(shop: &Caller, text: &str) -> Answer {
    let body = serde_json::json!({"user_id": "ana", "room_id": "support", "message": text});
    shop.post("post_comment", body).await
}

/// Limits the size of the process's files in bytes; `None` for no limit.
fn limit_files(server: &Confab, bytes: Option<u64>) {
    let pid = Pid::from_raw(server.id() as i32).expect("a process");
    let limit = Rlimit { current: bytes, maximum: None };
    prlimit(Some(pid), Resource::Fsize, limit).expect("limited");
}

/// Asserts that the response names the full disk and a retry time, and reveals nothing about the
/// machine.
#[track_caller]
fn check_disk_full(answer: &Answer, code: &str) {
    answer.refused(503, code);
    assert!(answer.text.contains("disk is full"), "{answer:?}");
    assert!(!answer.header("retry-after").is_empty(), "{answer:?}");
    for secret in ["confab.db", "/tmp", "SQL", "sqlite", "errno", "os error"] {
        assert!(!answer.text.contains(secret), "{secret} in {answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_fails_readiness_and_writes_until_a_write_succeeds() {
    let folder = Folder::embedded().and_app().await;
    let server = folder.serve();
    let shop = server.shop();
    shop.furnish().await;
    let ana = Client::new(&shop, "carol").await;
    try_post(&shop, "before").await.results();
    assert_eq!(shop.ready().await.status, 200);

    limit_files(&server, Some(0));
    for number in 0..20 {
        check_disk_full(&try_post(&shop, &format!("lost {number}")).await, "disk_full");
        let answer = shop.ready().await;
        check_disk_full(&answer, "not_ready");
        assert_eq!(shop.texts("support").await, ["before"], "reads still succeed");
    }
    check_disk_full(&upload(&ana, "a.txt", b"precious").await, "disk_full");
    assert_eq!(sent(shop.bare(Method::GET, "/health")).await.status, 200, "the process is alive");

    limit_files(&server, None);
    until_so("readiness", || async { shop.ready().await.status == 200 }).await;
    try_post(&shop, "after").await.results();
    assert_eq!(shop.texts("support").await, ["after", "before"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readiness_detects_a_full_disk_without_client_writes() {
    let folder = Folder::embedded().and_app().await;
    let server = folder.serve();
    let shop = server.shop();
    assert_eq!(shop.ready().await.status, 200);
    limit_files(&server, Some(0));
    until_so("the refusal", || async { shop.ready().await.status == 503 }).await;
    for _ in 0..20 {
        check_disk_full(&shop.ready().await, "not_ready");
    }
}

/// Returns the number of writes that only tested the disk.
async fn probe_writes(shop: &Caller) -> u64 {
    let text = shop.metrics().await;
    let line = text.lines().find(|line| line.starts_with("confab_store_probe_writes_total "));
    line.and_then(|line| line.split(' ').next_back()?.parse().ok()).unwrap_or(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_readiness_requests_share_a_few_probe_writes() {
    let folder = Folder::embedded().and_app().await;
    let server = folder.serve();
    let shop = server.shop();
    let before = probe_writes(&shop).await;
    let began = std::time::Instant::now();
    for _ in 0..10 {
        // A disk that stalls for seconds is a different failure; refused callers retry.
        let check = |_| until_status(200, async || shop.ready().await);
        join_all((0..100).map(check)).await;
    }
    let (written, seconds) = (probe_writes(&shop).await - before, began.elapsed().as_secs());
    println!("1000 requests for /ready in {seconds} s: {written} writes");
    assert!(written <= seconds + 2, "{written} writes in {seconds} s");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_of_the_postgresql_server_fails_readiness_and_writes() {
    let database = Setup::new().start();
    let folder = Folder::with_database(Some(database.url())).and_app().await;
    let server = folder.serve();
    let shop = server.shop();
    shop.furnish().await;
    try_post(&shop, "before").await.results();
    // PostgreSQL's error when it cannot extend a file; only the cause is simulated.
    database.psql(
        "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; \
         END $$",
    );
    for table in ["messages", "nodes"] {
        database.psql(&format!(
            "CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON {table} \
             FOR EACH ROW EXECUTE FUNCTION no_room()"
        ));
    }
    for number in 0..5 {
        check_disk_full(&try_post(&shop, &format!("lost {number}")).await, "disk_full");
        check_disk_full(&shop.ready().await, "not_ready");
        assert_eq!(shop.texts("support").await, ["before"], "reads still succeed");
    }
    for table in ["messages", "nodes"] {
        database.psql(&format!("DROP TRIGGER full_disk ON {table}"));
    }
    until_so("readiness", || async { shop.ready().await.status == 200 }).await;
    try_post(&shop, "after").await.results();
    assert_eq!(shop.texts("support").await, ["after", "before"]);
}
