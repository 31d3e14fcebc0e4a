//! A stolen database, backup or disk contains no token, key or app secret that is still valid
//! (D-0086).

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use reqwest::Method;
use serde_json::json;

use crate::support::answer::text;
use crate::support::caller::{Caller, sent, with_json};
use crate::support::client::Client;
use crate::support::engine;
use crate::support::office::Office;
use crate::support::process::{Confab, Ended, Folder, after};

const ADMIN_PASSWORD: &str = "the password of the first admin";

/// A data folder with its own key file.
struct Installation {
    folder: Folder,
    key_file: PathBuf,
}

impl Installation {
    fn new() -> Self {
        let folder = Folder::new();
        let key_file = folder.path().join("kept").join("secrets.key");
        Self { folder, key_file }
    }

    /// The app's keys are those that `Office` and `Confab::shop` use.
    fn environment(&self) -> [(&str, &str); 5] {
        [
            ("CONFAB_SECRETS_KEY_FILE", self.key_file.to_str().expect("text")),
            ("CONFAB_APP_ID", "shop"),
            ("CONFAB_SDK_SECRET", "sdk-secret-of-shop"),
            ("CONFAB_SECRET_KEY", "secret-key-of-shop"),
            ("CONFAB_ADMIN_PASSWORD", ADMIN_PASSWORD),
        ]
    }

    fn serve(&self) -> Confab {
        self.folder.serve_with(&[], &self.environment())
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        self.folder.run_with(arguments, &self.environment()[..1])
    }

    /// Returns the log of a server that refuses to start.
    fn refused(&self) -> String {
        self.folder.launch(&[], &self.environment()).failed()
    }

    /// Returns the raw contents of the database, as an attacker who stole it has them.
    fn stolen(&self) -> Vec<u8> {
        match self.folder.database() {
            None => ["confab.db", "confab.db-wal"]
                .iter()
                .filter_map(|name| fs::read(self.folder.data().join(name)).ok())
                .flatten()
                .collect(),
            Some(url) => confab_test_servers::postgres::shared()
                .psql_at(
                    url,
                    "SELECT query_to_xml(format('SELECT t::text FROM %I t', relname), \
                     true, false, '') \
                     FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition \
                     AND relnamespace = current_schema()::regnamespace",
                )
                .into_bytes(),
        }
    }
}

#[track_caller]
fn check_absent(secrets: &[(&str, String)], bytes: &[u8], source: &str) {
    assert!(contains(bytes, "6281234567890"), "{source} contains the customer's id");
    for (what, secret) in secrets {
        assert!(secret.len() >= 8, "{what} is long enough to search for");
        assert!(!contains(bytes, secret), "{source} contains {what}");
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

/// Performs the usual operations of an app; returns all secrets created, used or shown.
async fn use_app(installation: &Installation, server: &Confab) -> Vec<(&'static str, String)> {
    let shop = server.shop();
    let office = Office::of(&shop);
    let ana = Client::new(&shop, "ana").await;
    shop.register("bob").await;
    let boss = office.hire("boss", "admin").await;
    let budi = office.hire("budi", "agent").await;
    let sdk_key = office.shown(budi.id).await["sdk_key"].take();
    // Nothing listens there, so deliveries stay in the outbox.
    let target = "http://127.0.0.9:1999/hook";
    let allocation = json!({"webhook_url": target, "is_webhook_enabled": true});
    let auth = json!({"url": target, "enabled": true});
    for (path, body) in [
        ("/api/v1/app/webhook/agent_allocation", allocation),
        ("/api/v2/app/config/auth_webhook", auth),
    ] {
        let request = boss.request(Method::POST, path).header("SERVICE-App-Id", "shop");
        sent(with_json(request, &body)).await.data();
    }
    let body = json!({"name": "SMS", "webhook_url": target});
    let channel = boss.post("/api/v2/custom_channels", body).await.data();
    let channel_key = text(&channel["custom_channel"]["identifier_key"]).to_owned();
    let body = json!({"identifier_key": channel_key, "user_id": "6281234567890", "name": "Ana",
        "message": "Where is my parcel?"});
    let request = shop.bare(Method::POST, "/shop/api/v2/custom_channel/send");
    sent(with_json(request, &body)).await.data();
    budi.log_out().await.data();
    let reset = shop.post("reset_user_token", json!({"user_id": "bob"})).await;
    assert_eq!(reset.status, 200, "{}", reset.text);
    let staged = installation.run(&["app", "key", "stage", "shop"]).ok();
    let listed = office.get("/api/v2/webhooks/deliveries", &[]).await.text;
    for kind in ["agent_allocation", "logout"] {
        assert!(listed.contains(kind), "a {kind} delivery is pending: {listed}");
    }
    vec![
        ("the SDK secret", "sdk-secret-of-shop".to_owned()),
        ("the secret key", "secret-key-of-shop".to_owned()),
        ("the staged key", after(&staged, "new secret key")),
        ("a password", ADMIN_PASSWORD.to_owned()),
        ("a client's token", ana.token.clone()),
        ("a token that was reset", shop.token("bob").await),
        ("an admin's sign-in", boss.token.clone()),
        ("an agent's sign-in", budi.token.clone()),
        ("an agent's sdk_key", text(&sdk_key).to_owned()),
        ("a channel's key", channel_key),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stolen_database_or_backup_contains_no_secret() {
    let installation = Installation::new();
    let server = installation.serve();
    let secrets = use_app(&installation, &server).await;
    check_absent(&secrets, &installation.stolen(), "the database in use");
    if !engine::is_postgres() {
        let output = installation.run(&["backup", "copy.db"]).ok();
        let key_file = installation.key_file.to_str().expect("text");
        assert!(
            output.contains("does not contain the keys") && output.contains(key_file),
            "{output}"
        );
        let copy = fs::read(installation.folder.path().join("copy.db")).expect("the copy");
        check_absent(&secrets, &copy, "a backup");
        let key = fs::read_to_string(&installation.key_file).expect("the keys");
        assert!(
            !contains(&copy, &after(&key, "key")),
            "a backup does not contain the encryption key"
        );
    }
    // Secrets that were decrypted for use are not logged either.
    let log = server.log.text();
    for (what, secret) in &secrets {
        assert!(!log.contains(secret), "the log contains {what}");
    }
    server.signal("TERM");
    server.ended();
    check_absent(&secrets, &installation.stolen(), "the database at rest");
    let again = installation.serve();
    assert_eq!(
        again.shop().token("bob").await,
        secrets[5].1,
        "stored tokens are readable after a restart"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_key_file_is_private_and_a_missing_or_wrong_one_stops_the_server() {
    let installation = Installation::new();
    let server = installation.serve();
    let mode =
        fs::metadata(&installation.key_file).expect("the key file exists").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let output = server.log.wait_for("every node needs the same file");
    assert!(output.contains(installation.key_file.to_str().expect("text")), "{output}");
    let key = after(&fs::read_to_string(&installation.key_file).expect("the keys"), "key");
    assert!(!server.log.text().contains(&key));
    server.kill();

    let moved = installation.key_file.with_extension("aside");
    fs::rename(&installation.key_file, &moved).expect("renamed");
    for output in [installation.refused(), installation.run(&["app", "list"]).failed(1)] {
        assert!(
            output.contains("is missing") && output.contains("the previous key file"),
            "{output}"
        );
        assert!(!installation.key_file.exists(), "no new key file is created");
    }
    // A key file of another installation.
    fs::write(&installation.key_file, format!("key {}\n", "0b".repeat(32))).expect("written");
    for output in [installation.refused(), installation.run(&["user", "list"]).failed(1)] {
        assert!(
            output.contains("encrypted with the key") && output.contains("start-over"),
            "{output}"
        );
        assert!(!output.contains("0b0b") && !output.contains(&key), "no key is printed: {output}");
    }
    // A truncated key file.
    fs::write(&installation.key_file, &key[..20]).expect("written");
    let output = installation.refused();
    assert!(
        output.contains("must contain one `key` line") && !output.contains(&key[..20]),
        "{output}"
    );
    fs::rename(&moved, &installation.key_file).expect("renamed back");
    fs::set_permissions(&installation.key_file, fs::Permissions::from_mode(0o644)).expect("set");
    installation.serve().log.wait_for("other users of this machine may read the key file");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_key_can_be_rotated_under_a_running_server_and_the_old_key_then_fails() {
    let installation = Installation::new();
    let server = installation.serve();
    let secrets = use_app(&installation, &server).await;
    let shop = server.shop();
    let old_file = fs::read_to_string(&installation.key_file).expect("the keys");
    let ana = Client { caller: shop.clone(), user: "ana".to_owned(), token: secrets[4].1.clone() };

    let output = installation.run(&["secrets", "promote"]).failed(1);
    assert!(output.contains("confab secrets stage"), "{output}");
    installation.run(&["secrets", "stage"]).ok();
    installation.run(&["secrets", "stage"]).failed(1);
    let output = installation.run(&["secrets", "retire"]).failed(1);
    assert!(output.contains("promote"), "{output}");
    assert!(installation.run(&["secrets", "show"]).ok().contains("staged  0 rows"));
    installation.run(&["secrets", "promote"]).ok();
    // The running server loads the new key by itself, on any request.
    assert_eq!(ana.get("my_profile", &[]).await.status, 200);
    assert_eq!(shop.token("ana").await, ana.token);
    shop.register("carla").await;
    let output = installation.run(&["secrets", "retire"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    assert!(!output.out.contains(&after(&old_file, "key")));
    let new_file = fs::read_to_string(&installation.key_file).expect("the keys");
    assert!(!new_file.contains(&after(&old_file, "key")) && !new_file.contains("old "));
    let mode = fs::metadata(&installation.key_file).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(ana.get("my_profile", &[]).await.status, 200);
    let shown = installation.run(&["secrets", "show"]).ok();
    assert!(shown.lines().count() == 1 && !shown.contains(" 0 rows"), "{shown}");
    let carla = shop.token("carla").await;
    check_absent(&secrets, &installation.stolen(), "the database");
    server.kill();

    let server = installation.serve();
    assert_eq!(server.shop().token("carla").await, carla);
    assert_eq!(server.shop().token("ana").await, ana.token);
    server.kill();
    fs::write(&installation.key_file, old_file).expect("written");
    assert!(installation.refused().contains("encrypted with the key"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_killed_key_promotion_loses_no_secret_and_can_be_resumed() {
    const USERS: usize = 1_600;
    let installation = Installation::new();
    let server = installation.serve();
    let shop = server.shop();
    register_many(&shop, USERS).await;
    let before = shop.token("user-1500").await;
    server.kill();
    installation.run(&["secrets", "stage"]).ok();
    let promoting =
        installation.folder.start(&["secrets", "promote"], &installation.environment()[..1]);
    promoting.log.wait_for("users: 500 rows");
    promoting.kill();
    let left = installation.run(&["secrets", "show"]).ok();
    println!("after the kill:\n{left}");
    // The server uses both keys in between.
    let server = installation.serve();
    assert_eq!(server.shop().token("user-1500").await, before);
    installation.run(&["secrets", "promote"]).ok();
    let shown = installation.run(&["secrets", "show"]).ok();
    println!("after the promotion was resumed:\n{shown}");
    assert!(shown.contains("old  0 rows"), "{shown}");
    installation.run(&["secrets", "retire"]).ok();
    for at in [1, 499, 500, 501, 1_500, USERS - 1] {
        let user = format!("user-{at}");
        let client = Client::of(&server.shop(), &user).await;
        assert_eq!(client.get("my_profile", &[]).await.status, 200, "{user}");
    }
}

async fn register_many(shop: &Caller, count: usize) {
    let tasks = (0..16).map(|lane| {
        let shop = shop.clone();
        tokio::spawn(async move {
            for at in (lane..count).step_by(16) {
                shop.register(&format!("user-{at}")).await;
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.expect("registered");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starting_over_without_the_key_file_replaces_all_secrets() {
    let installation = Installation::new();
    let server = installation.serve();
    let secrets = use_app(&installation, &server).await;
    if !engine::is_postgres() {
        let output = installation.run(&["secrets", "start-over"]).failed(1);
        assert!(output.contains("another confab server uses"), "{output}");
    }
    server.signal("TERM");
    server.ended();
    fs::remove_file(&installation.key_file).expect("lost");
    assert!(installation.refused().contains("start-over"));
    let output = installation.run(&["secrets", "start-over"]).ok();
    let (sdk_secret, secret_key) = (after(&output, "SDK secret"), after(&output, "secret key"));
    for (what, secret) in &secrets {
        assert!(!output.contains(secret), "the old value of {what} is not printed");
    }
    let server = installation.serve();
    assert_eq!(
        server.shop().get("get_user_list", &[]).await.status,
        401,
        "the old secret is invalid"
    );
    let shop = server.caller("shop", &sdk_secret);
    let ana = Client { caller: shop.clone(), user: "ana".to_owned(), token: secrets[4].1.clone() };
    assert_eq!(ana.get("my_profile", &[]).await.status, 403, "the old token is invalid");
    let ana = Client::of(&shop, "ana").await;
    assert_eq!(ana.get("my_profile", &[]).await.status, 200);
    let request = shop.bare(Method::GET, "/api/v2/custom_channels");
    let request = request.header("SERVICE-App-Id", "shop").header("SERVICE-Secret-Key", secret_key);
    let channels = sent(request).await.text;
    assert!(
        channels.contains("SMS") && !channels.contains(&secrets[9].1),
        "the channel has a new key"
    );
}
