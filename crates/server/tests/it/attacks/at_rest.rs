//! A stolen database, backup or disk contains no token, key or app secret that is still valid
//! (D-0086, D-0087).

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

/// A folder with its own key file, as an operator has it.
struct Place {
    folder: Folder,
    key_file: PathBuf,
}

impl Place {
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

    /// Returns all contents of the database, as a thief has them.
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
fn check_absent(secrets: &[(&str, String)], bytes: &[u8], of: &str) {
    assert!(contains(bytes, "6281234567890"), "the customer is in {of}: it was looked through");
    for (what, secret) in secrets {
        assert!(secret.len() >= 8, "{what} is something");
        assert!(!contains(bytes, secret), "{what} stands in {of}");
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

/// Performs the usual operations of an app; returns all secrets created, used or shown.
async fn a_day(place: &Place, server: &Confab) -> Vec<(&'static str, String)> {
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
    let staged = place.run(&["app", "key", "stage", "shop"]).ok();
    let listed = office.get("/api/v2/webhooks/deliveries", &[]).await.text;
    for kind in ["agent_allocation", "logout"] {
        assert!(listed.contains(kind), "{kind} is to be delivered: {listed}");
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
async fn who_steals_the_database_or_a_backup_finds_no_secret_in_it() {
    let place = Place::new();
    let server = place.serve();
    let secrets = a_day(&place, &server).await;
    check_absent(&secrets, &place.stolen(), "the database in use");
    if !engine::is_postgres() {
        let said = place.run(&["backup", "copy.db"]).ok();
        let key_file = place.key_file.to_str().expect("text");
        assert!(said.contains("does not contain the keys") && said.contains(key_file), "{said}");
        let copy = fs::read(place.folder.path().join("copy.db")).expect("the copy");
        check_absent(&secrets, &copy, "a backup");
        let key = fs::read_to_string(&place.key_file).expect("the keys");
        assert!(!contains(&copy, &after(&key, "key")), "the key is not in it");
    }
    // Secrets that were decrypted for use are not logged either.
    let log = server.log.text();
    for (what, secret) in &secrets {
        assert!(!log.contains(secret), "{what} stands in the log");
    }
    server.signal("TERM");
    server.ended();
    check_absent(&secrets, &place.stolen(), "the database at rest");
    let again = place.serve();
    assert_eq!(again.shop().token("bob").await, secrets[5].1, "it is read as it was");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_key_file_is_its_owners_only_and_no_other_one_is_taken() {
    let place = Place::new();
    let server = place.serve();
    let mode = fs::metadata(&place.key_file).expect("made").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let said = server.log.wait_for("every node needs the same file");
    assert!(said.contains(place.key_file.to_str().expect("text")), "{said}");
    let key = after(&fs::read_to_string(&place.key_file).expect("the keys"), "key");
    assert!(!server.log.text().contains(&key));
    server.kill();

    let aside = place.key_file.with_extension("aside");
    fs::rename(&place.key_file, &aside).expect("moved");
    for said in [place.refused(), place.run(&["app", "list"]).failed(1)] {
        assert!(said.contains("is missing") && said.contains("the previous key file"), "{said}");
        assert!(!place.key_file.exists(), "none is made that opens nothing");
    }
    // A key file of another installation.
    fs::write(&place.key_file, format!("key {}\n", "0b".repeat(32))).expect("written");
    for said in [place.refused(), place.run(&["user", "list"]).failed(1)] {
        assert!(said.contains("encrypted with the key") && said.contains("start-over"), "{said}");
        assert!(!said.contains("0b0b") && !said.contains(&key), "no key is shown: {said}");
    }
    // A truncated key file.
    fs::write(&place.key_file, &key[..20]).expect("written");
    let said = place.refused();
    assert!(said.contains("must contain one `key` line") && !said.contains(&key[..20]), "{said}");
    fs::rename(&aside, &place.key_file).expect("moved back");
    fs::set_permissions(&place.key_file, fs::Permissions::from_mode(0o644)).expect("set");
    place.serve().log.wait_for("others on this machine may read it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_key_is_changed_while_the_server_runs_and_the_old_one_opens_nothing() {
    let place = Place::new();
    let server = place.serve();
    let secrets = a_day(&place, &server).await;
    let shop = server.shop();
    let old_file = fs::read_to_string(&place.key_file).expect("the keys");
    let ana = Client { caller: shop.clone(), user: "ana".to_owned(), token: secrets[4].1.clone() };

    let said = place.run(&["secrets", "promote"]).failed(1);
    assert!(said.contains("confab secrets stage"), "{said}");
    place.run(&["secrets", "stage"]).ok();
    place.run(&["secrets", "stage"]).failed(1);
    let said = place.run(&["secrets", "retire"]).failed(1);
    assert!(said.contains("promote"), "{said}");
    assert!(place.run(&["secrets", "show"]).ok().contains("staged  0 rows"));
    place.run(&["secrets", "promote"]).ok();
    // The running server notices the new key by itself, whichever request comes first.
    assert_eq!(ana.get("my_profile", &[]).await.status, 200);
    assert_eq!(shop.token("ana").await, ana.token);
    shop.register("carla").await;
    let said = place.run(&["secrets", "retire"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(!said.out.contains(&after(&old_file, "key")));
    let new_file = fs::read_to_string(&place.key_file).expect("the keys");
    assert!(!new_file.contains(&after(&old_file, "key")) && !new_file.contains("old "));
    let mode = fs::metadata(&place.key_file).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(ana.get("my_profile", &[]).await.status, 200);
    let shown = place.run(&["secrets", "show"]).ok();
    assert!(shown.lines().count() == 1 && !shown.contains(" 0 rows"), "{shown}");
    let carla = shop.token("carla").await;
    check_absent(&secrets, &place.stolen(), "the database");
    server.kill();

    let server = place.serve();
    assert_eq!(server.shop().token("carla").await, carla);
    assert_eq!(server.shop().token("ana").await, ana.token);
    server.kill();
    fs::write(&place.key_file, old_file).expect("written");
    assert!(place.refused().contains("encrypted with the key"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_kill_in_the_middle_of_sealing_anew_loses_nothing_and_is_gone_on_with() {
    const USERS: usize = 1_600;
    let place = Place::new();
    let server = place.serve();
    let shop = server.shop();
    register_many(&shop, USERS).await;
    let before = shop.token("user-1500").await;
    server.kill();
    place.run(&["secrets", "stage"]).ok();
    let promoting = place.folder.start(&["secrets", "promote"], &place.environment()[..1]);
    promoting.log.wait_for("users: 500 rows");
    promoting.kill();
    let left = place.run(&["secrets", "show"]).ok();
    println!("after the kill:\n{left}");
    // The server uses both keys in between.
    let server = place.serve();
    assert_eq!(server.shop().token("user-1500").await, before);
    place.run(&["secrets", "promote"]).ok();
    let shown = place.run(&["secrets", "show"]).ok();
    println!("when it was gone on with:\n{shown}");
    assert!(shown.contains("old  0 rows"), "{shown}");
    place.run(&["secrets", "retire"]).ok();
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
async fn who_lost_the_key_file_goes_on_with_new_secrets_and_the_stolen_ones_open_nothing() {
    let place = Place::new();
    let server = place.serve();
    let secrets = a_day(&place, &server).await;
    if !engine::is_postgres() {
        let said = place.run(&["secrets", "start-over"]).failed(1);
        assert!(said.contains("another confab server uses"), "{said}");
    }
    server.signal("TERM");
    server.ended();
    fs::remove_file(&place.key_file).expect("lost");
    assert!(place.refused().contains("start-over"));
    let said = place.run(&["secrets", "start-over"]).ok();
    let (sdk_secret, secret_key) = (after(&said, "SDK secret"), after(&said, "secret key"));
    for (what, secret) in &secrets {
        assert!(!said.contains(secret), "{what} is gone");
    }
    let server = place.serve();
    assert_eq!(server.shop().get("get_user_list", &[]).await.status, 401, "the old one is gone");
    let shop = server.caller("shop", &sdk_secret);
    let ana = Client { caller: shop.clone(), user: "ana".to_owned(), token: secrets[4].1.clone() };
    assert_eq!(ana.get("my_profile", &[]).await.status, 403, "the old one is gone");
    let ana = Client::of(&shop, "ana").await;
    assert_eq!(ana.get("my_profile", &[]).await.status, 200);
    let request = shop.bare(Method::GET, "/api/v2/custom_channels");
    let request = request.header("SERVICE-App-Id", "shop").header("SERVICE-Secret-Key", secret_key);
    let channels = sent(request).await.text;
    assert!(channels.contains("SMS") && !channels.contains(&secrets[9].1), "a new key");
}
