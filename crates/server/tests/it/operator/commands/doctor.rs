//! `confab doctor`: no findings for a healthy server, and a named cause with advice for each
//! problem (design/operations).

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use confab_test_servers::postgres;
use confab_test_servers::receiver::{Receiver, Reply};
use serde_json::{Value, json};

use super::proxy::{Manner, Proxy};
use crate::sdk::bucket;
use crate::sdk::foreign_bucket::ForeignBucket;
use crate::support::engine;
use crate::support::process::{Ended, Folder};
use crate::support::stand_ins::bot_api::BotApi;
use crate::support::waiting::until_so;

/// Exit code and findings of a run.
struct Examined {
    code: Option<i32>,
    findings: Vec<Value>,
}

impl From<Ended> for Examined {
    fn from(ended: Ended) -> Self {
        let report: Value = serde_json::from_str(&ended.out)
            .unwrap_or_else(|error| panic!("{error}: {}{}", ended.out, ended.err));
        let findings = report["findings"].as_array().expect("findings").clone();
        Self { code: ended.code, findings }
    }
}

impl Examined {
    /// Returns the findings of this level, except the disk's speed, which varies.
    fn of(&self, level: &str) -> Vec<&Value> {
        let is_it = |it: &&Value| it["level"] == level && it["check"] != "fsync";
        self.findings.iter().filter(is_it).collect()
    }

    /// Asserts that there are no warnings and no problems.
    #[track_caller]
    fn is_healthy(&self) {
        assert_eq!((self.of("warning"), self.of("trouble")), (Vec::new(), Vec::new()));
        assert_eq!(self.code, Some(0));
    }

    /// Asserts that this is the only problem, with these words and some advice.
    #[track_caller]
    fn is_only(&self, level: &str, check: &str, words: &str) {
        let wrong = [self.of("warning"), self.of("trouble")].concat();
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        let (found, advice) = (wrong[0]["found"].to_string(), wrong[0]["advice"].to_string());
        assert_eq!((&wrong[0]["level"], &wrong[0]["check"]), (&level.into(), &check.into()));
        assert!(found.contains(words), "{found}");
        assert!(advice.len() > 10, "{advice}");
        assert_eq!(self.code, Some(if level == "trouble" { 1 } else { 0 }));
    }

    fn found(&self, check: &str) -> String {
        let found = self.findings.iter().find(|it| it["check"] == check);
        found.unwrap_or_else(|| panic!("{check}"))["found"].to_string()
    }

    fn level(&self, check: &str) -> &str {
        let found = self.findings.iter().find(|it| it["check"] == check);
        found.and_then(|it| it["level"].as_str()).unwrap_or("not looked at")
    }
}

/// An address at which nothing listens.
const NOBODY: &str = "127.0.0.1:1";
const FREE_PORT: [&str; 2] = ["--listen", "127.0.0.1:0"];

fn examine(folder: &Folder, flags: &[&str], environment: &[(&str, &str)]) -> Examined {
    let all = [&["doctor", "--json"], &FREE_PORT, flags].concat();
    folder.run_with(&all, environment).into()
}

/// Runs the command with settings by which another server listens at this address.
fn examine_at(folder: &Folder, base: &str, environment: &[(&str, &str)]) -> Examined {
    let address = base.trim_start_matches("http://");
    folder.run_with(&["doctor", "--json", "--listen", address], environment).into()
}

#[tokio::test(flavor = "multi_thread")]
async fn another_confab_at_the_address_is_a_warning_and_the_data_is_unchanged() {
    let other = Folder::embedded().and_app().await;
    let server = other.serve();
    let new = Folder::embedded();
    let found = examine_at(&new, &server.base, &[("CONFAB_SECRETS_KEY_FILE", "data/secrets.key")]);
    found.is_only("warning", "server", "uses other data");
    assert!(!new.data().exists(), "doctor creates no data folder");
    let ours = Folder::embedded().and_app().await;
    let before = files_in(&ours.data());
    let found = examine_at(&ours, &server.base, &[]);
    found.is_only("warning", "server", "uses other data");
    assert_eq!(found.level("endpoints"), "skipped", "the secret key is not sent to another server");
    assert!(files_in(&ours.data()) == before, "doctor changes no file");
    // Our server was killed, and another program has used its port since.
    ours.write("data/server.url", &server.base);
    let found = examine(&ours, &[], &[]);
    found.is_only("warning", "server", "uses other data");
}

/// Returns the paths in the folder with the contents of each file.
fn files_in(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").map(|it| it.expect("an entry").path());
    entries.map(|it| (it.clone(), fs::read(it).expect("read"))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_neither_creates_nor_migrates_a_postgresql_schema() {
    let (other, database) = (Folder::embedded().and_app().await, postgres::shared().new_schema());
    let server = other.serve();
    let asked = |text: &str| postgres::shared().psql_at(&database, text).trim().to_owned();
    let folder = Folder::with_database(Some(database.clone()));
    let found = examine_at(&folder, &server.base, &[]);
    assert_eq!((found.level("schema"), found.level("server")), ("ok", "warning"));
    assert_eq!(asked("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"), "0");
    let folder = folder.and_app().await;
    asked("DELETE FROM schema_version WHERE version > 20");
    let found = examine_at(&folder, &server.base, &[]);
    assert_eq!((found.level("schema"), found.level("server")), ("warning", "warning"));
    assert!(found.found("server").contains("uses other data"), "{:?}", found.findings);
    assert_eq!(asked("SELECT max(version) FROM schema_version"), "20");
    asked("INSERT INTO schema_version VALUES (1000)");
    assert_eq!(examine_at(&folder, &server.base, &[]).level("schema"), "trouble");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_on_postgresql_is_recognized_by_the_data_folder_only() {
    let database = postgres::shared().new_schema();
    let folder = Folder::with_database(Some(database.clone())).and_app().await;
    let server = folder.serve();
    let found = examine(&folder, &[], &[]);
    assert_eq!((found.level("server"), found.level("endpoints")), ("ok", "ok"));
    let elsewhere = Folder::with_database(Some(database));
    let found = examine_at(&elsewhere, &server.base, &[]);
    assert_eq!((found.level("server"), found.level("endpoints")), ("warning", "skipped"));
    assert!(found.found("server").contains("it is unknown whether"), "{:?}", found.findings);
    // The command cannot reach its database, but still reports the state of the server.
    let gone = format!("postgres://confab@{NOBODY}/chat");
    let found = examine(&folder, &[], &[("CONFAB_DATABASE_URL", &gone)]);
    found.is_only("trouble", "database", "PostgreSQL chat");
    assert_eq!((found.level("ready"), found.level("apps")), ("ok", "not looked at"));
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_and_check_name_a_key_file_that_does_not_match_the_data() {
    for database in [None, Some(postgres::shared().new_schema())] {
        let folder = Folder::with_database(database).and_app().await;
        folder.write("other.key", &format!("key {}\n", "6f".repeat(32)));
        for file in ["other.key", "missing.key"] {
            let key = [("CONFAB_SECRETS_KEY_FILE", file)];
            let found = examine(&folder, &[], &key);
            assert_eq!((found.code, found.level("key file")), (Some(1), "trouble"));
            let said = found.found("key file");
            assert!(said.contains("encrypted with the key") && said.contains(file), "{said}");
            let checked = folder.run_with(&["check"], &key);
            assert_eq!(checked.code, Some(1), "{}", checked.out);
            assert!(checked.out.contains("WRONG: "), "{}", checked.out);
            assert!(checked.out.contains("encrypted with the key"), "{}", checked.out);
        }
        assert!(!folder.path().join("missing.key").exists(), "no key file is created");
        assert!(folder.run(&["check"]).ok().ends_with("No problems found.\n"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unreadable_files_are_named_with_advice() {
    let folder = Folder::embedded().and_app().await;
    let all = [&["doctor", "--json"], &FREE_PORT[..]].concat();
    let denied = |name: &str| {
        let path = folder.path().join(name);
        let before = fs::metadata(&path).expect("there").permissions();
        fs::set_permissions(&path, Permissions::from_mode(0o000)).expect("set");
        let found = folder.run_without_privileges(&all, &[("CONFAB_SECRETS_KEY_FILE", "own.key")]);
        fs::set_permissions(&path, before).expect("set");
        Examined::from(found)
    };
    let key = fs::read_to_string(engine::secrets_key_file()).expect("read");
    folder.write("own.key", &key);
    fs::set_permissions(folder.path().join("own.key"), Permissions::from_mode(0o600)).expect("set");
    let found = denied("data/confab.db");
    found.is_only("trouble", "database", "this user may not read and write");
    assert!(found.of("trouble")[0]["advice"].to_string().contains("chown -R"));
    let found = denied("own.key");
    found.is_only("trouble", "key file", "this user may not read the key file");
    assert!(found.of("trouble")[0]["advice"].to_string().contains("chown -R"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_folder_and_that_of_a_stopped_or_running_server_are_healthy() {
    let new = Folder::embedded();
    examine(&new, &[], &[]).is_healthy();
    assert!(!new.data().exists(), "doctor creates no data folder");
    let folder = Folder::embedded().and_app().await;
    let stopped = examine(&folder, &[], &[]);
    stopped.is_healthy();
    assert_eq!((stopped.level("endpoints"), stopped.level("listen")), ("skipped", "ok"));
    let server = folder.serve();
    let running = examine(&folder, &[], &[]);
    running.is_healthy();
    for check in ["server", "ready", "endpoints", "channels", "disk", "fsync", "key file"] {
        assert_eq!(running.level(check), "ok", "{check}");
    }
    let said = folder.run(&[&["doctor"], &FREE_PORT[..]].concat()).ok();
    assert!(said.ends_with("No problems found.\n") || said.contains("fsync"), "{said}");
    server.signal("TERM");
    server.ended();
    assert!(
        names_in(&folder).iter().all(|name| !name.contains("doctor")),
        "doctor leaves no files or objects"
    );
}

/// Returns the names of the entries in the data folder.
fn names_in(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.data()).expect("a folder");
    let names = entries.map(|it| it.expect("an entry").file_name().into_string().expect("text"));
    names.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_or_refusing_trace_collector_is_a_warning() {
    let collector = Receiver::start().await;
    let folder = Folder::embedded();
    let flags = ["--otlp-url", &collector.base];
    let headers = [("CONFAB_OTLP_HEADERS", "x-key=the-key")];
    let healthy = examine(&folder, &flags, &headers);
    healthy.is_healthy();
    assert_eq!(
        (healthy.level("traces"), collector.next().await.header("x-key")),
        ("ok", "the-key")
    );
    collector.answers(403);
    examine(&folder, &flags, &headers).is_only("warning", "traces", "403 Forbidden");
    let nobody = format!("http://{NOBODY}");
    examine(&folder, &["--otlp-url", &nobody], &[]).is_only("warning", "traces", "refused");
}

#[test]
fn an_invalid_setting_and_an_unusable_certificate_are_named() {
    let folder = Folder::embedded();
    let wrong = examine(&folder, &["--public-url", "chat.example"], &[]);
    wrong.is_only("trouble", "settings", "public_url");
    folder.write("cert.pem", "nothing");
    let tls = ["--tls-cert", "cert.pem", "--tls-key", "key.pem"];
    examine(&folder, &tls, &[]).is_only("trouble", "settings", "cert.pem");
}

#[test]
fn a_listen_address_in_use_is_an_error_and_plain_mqtt_on_all_a_warning() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let folder = Folder::embedded();
    let found = examine(&folder, &["--mqtt-listen", &address], &[]);
    found.is_only("trouble", "mqtt_listen", "in use");
    let open = examine(&folder, &["--mqtt-listen", "0.0.0.0:0"], &[]);
    open.is_only("warning", "encryption", "not encrypted");
}

#[tokio::test]
async fn a_full_disk_a_missing_key_open_modes_and_few_open_files_are_named() {
    let folder = Folder::embedded().and_app().await;
    let floor = [("CONFAB_FREE_SPACE_MIN_BYTES", "1000000000000000000")];
    examine(&folder, &[], &floor).is_only("trouble", "disk", "less than required");
    let key = [("CONFAB_SECRETS_KEY_FILE", "data/other.key")];
    examine(&folder, &[], &key).is_only("trouble", "key file", "is missing");
    folder.write("data/other.key", &format!("key {}\n", "5e".repeat(32)));
    fs::set_permissions(folder.path().join("data/other.key"), Permissions::from_mode(0o644))
        .expect("set");
    examine(&folder, &[], &key).is_only("warning", "key file", "mode 644");
    let all = [&["doctor", "--json"], &FREE_PORT[..]].concat();
    let few = Examined::from(folder.run_after("ulimit -n 256", &all));
    few.is_only("warning", "open files", "256");
    fs::set_permissions(folder.data(), Permissions::from_mode(0o777)).expect("set");
    examine(&folder, &[], &[]).is_only("warning", "data folder", "replace the database");
}

/// Examines a server behind a proxy with this fault.
async fn through(manner: Manner) -> Examined {
    let folder = Folder::embedded().and_app().await;
    let proxy = Proxy::start(manner).await;
    let flags = ["--public-url", &proxy.url, "--trusted-proxies", "127.0.0.1"];
    let server = folder.serve_with(&flags, &[]);
    proxy.set_target(&server.base);
    examine(&folder, &flags, &[])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transparent_proxy_is_healthy() {
    let found = through(Manner::Faithful).await;
    found.is_healthy();
    let checks = ["public_url", "WebSocket", "event stream", "headers", "client address", "clock"];
    for check in checks {
        assert_eq!(found.level(check), "ok", "{check}");
    }
    // The command cannot identify the server that responds.
    assert!(
        found.found("public_url").contains("a Confab server responds at"),
        "{:?}",
        found.findings
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn each_feature_that_a_proxy_breaks_is_named() {
    let found = through(Manner::NoUpgrade).await;
    found.is_only("trouble", "WebSocket", "cannot be opened");
    let found = through(Manner::Collecting).await;
    found.is_only("trouble", "event stream", "buffers responses");
    through(Manner::NoUnderscores).await.is_only("warning", "headers", "underscores");
    through(Manner::OldDate).await.is_only("trouble", "clock", "ahead of public_url");
    through(Manner::Elsewhere).await.is_only("trouble", "public_url", "not as Confab does");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_that_lets_clients_spoof_their_address_is_named() {
    let found = through(Manner::Credulous).await;
    found.is_only("trouble", "client address", "a spoofed x-forwarded-for is accepted");
    let found = through(Manner::Secretive).await;
    found.is_only("warning", "client address", "does not send x-forwarded-for");
    let folder = Folder::embedded().and_app().await;
    let all = ["--public-url", "http://chat.example", "--trusted-proxies", "10.0.0.0/8,::/0"];
    let found = examine(&folder, &all, &[]);
    assert!(found.found("proxy").contains("trusted_proxies contains ::/0"), "{:?}", found.findings);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_public_url_and_an_untrusted_proxy_are_named() {
    let folder = Folder::embedded().and_app().await;
    let url = format!("http://{NOBODY}");
    let flags = ["--public-url", &url, "--trusted-proxies", "127.0.0.1"];
    let server = folder.serve_with(&flags, &[]);
    examine(&folder, &flags, &[]).is_only("trouble", "public_url", "cannot be reached");
    let proxy = Proxy::start(Manner::Faithful).await;
    proxy.set_target(&server.base);
    let unnamed = examine(&folder, &["--public-url", &proxy.url], &[]);
    unnamed.is_only("warning", "proxy", "trusted_proxies");
    server.kill();
    let stopped = examine(&folder, &["--public-url", &proxy.url], &[]);
    assert_eq!(stopped.level("public_url"), "skipped");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_postgresql_without_fsync_or_that_is_unreachable_is_named() {
    let database = postgres::shared().new_schema();
    let folder = Folder::with_database(Some(database)).and_app().await;
    let found = examine(&folder, &[], &[]);
    assert_eq!((found.code, found.level("clock")), (Some(1), "ok"));
    let trouble = found.of("trouble");
    assert_eq!(trouble.len(), 1, "{trouble:?}");
    assert!(trouble[0]["found"].to_string().contains("fsync"), "{trouble:?}");

    let gone = format!("postgres://confab:planted@{NOBODY}/chat");
    let folder = Folder::with_database(Some(gone));
    let found = examine(&folder, &[], &[]);
    found.is_only("trouble", "database", "PostgreSQL chat");
    assert!(!format!("{:?}", found.findings).contains("planted"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_or_refusing_nats_is_named_without_its_password() {
    let nats = confab_test_servers::nats::Server::start_with_password("planted");
    let folder = Folder::embedded();
    let right = nats.url();
    examine(&folder, &[], &[("CONFAB_NATS_URL", &right)]).is_healthy();
    let wrong = right.replace("planted", "planned");
    for url in [wrong, format!("nats://confab:planted@{NOBODY}")] {
        let found = examine(&folder, &[], &[("CONFAB_NATS_URL", &url)]);
        found.is_only("trouble", "NATS", "cannot be reached");
        let said = found.found("NATS");
        let parts: Vec<_> = said.trim_matches('"').split(": ").collect();
        let once: std::collections::BTreeSet<_> = parts.iter().collect();
        assert_eq!(once.len(), parts.len(), "each cause is printed once: {said}");
        let shown = format!("{:?}", found.findings);
        assert!(!shown.contains("planted") && !shown.contains("planned"), "{shown}");
    }
}

#[tokio::test]
async fn a_nats_without_credentials_is_a_warning() {
    let nats = confab_test_servers::nats::Server::start();
    let found = examine(&Folder::embedded(), &[], &[("CONFAB_NATS_URL", &nats.url())]);
    found.is_only("warning", "NATS", "has no credentials");
}

#[tokio::test]
async fn a_database_open_to_every_role_is_a_warning() {
    let database = postgres::shared().new_schema();
    let folder = Folder::with_database(Some(database)).and_app().await;
    let found = examine(&folder, &[], &[]);
    let warnings = found.of("warning");
    let of_public = |it: &&&Value| it["found"].to_string().contains("every role");
    assert_eq!(warnings.iter().filter(of_public).count(), 1, "{warnings:?}");
}

#[test]
fn a_missing_nats_certificate_file_is_named() {
    let nats = [("CONFAB_NATS_URL", "tls://127.0.0.1:1"), ("CONFAB_NATS_CA_FILE", "no.pem")];
    examine(&Folder::embedded(), &[], &nats).is_only("trouble", "NATS", "nats_ca_file no.pem");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_is_probed_and_a_refusal_is_named() {
    let folder = Folder::embedded();
    let (kept, settings) = bucket::bucket(bucket::SECRET).await;
    examine_with(&folder, &settings).is_healthy();
    assert!(kept.objects.lock().is_empty(), "doctor leaves no files or objects");
    let (_kept, settings) = bucket::bucket("another-secret").await;
    let found = examine_with(&folder, &settings);
    found.is_only("trouble", "S3", "403");
    assert!(!format!("{:?}", found.findings).contains("another-secret"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_third_party_bucket_is_probed_and_the_reason_of_a_refusal_is_named() {
    let (folder, bucket) = (Folder::embedded(), ForeignBucket::start().await);
    let owned =
        |settings: [(&'static str, &str); 4]| settings.map(|(key, it)| (key, it.to_owned()));
    examine_with(&folder, &owned(bucket.settings())).is_healthy();
    assert_eq!(bucket.objects(), 0, "doctor leaves no files or objects");
    for (key, value, why) in [
        ("s3_access_key", "nobody", "403 Forbidden InvalidAccessKeyId"),
        ("s3_bucket", "elsewhere", "404 Not Found NoSuchBucket"),
    ] {
        let found = examine_with(&folder, &owned(bucket.settings_but(key, value)));
        found.is_only("trouble", "S3", why);
    }
}

fn examine_with(folder: &Folder, settings: &[(&'static str, String)]) -> Examined {
    let name = |key: &str| format!("CONFAB_{}", key.to_uppercase());
    let named: Vec<_> = settings.iter().map(|(key, value)| (name(key), value)).collect();
    let environment: Vec<_> =
        named.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    examine(folder, &[], &environment)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_endpoint_and_a_channel_with_an_invalid_token_are_named() {
    let (folder, bot) = (Folder::embedded().and_app().await, BotApi::start().await);
    let receiver = Receiver::replying(|_| Reply::status(500).body("down")).await;
    let environment = [("CONFAB_TELEGRAM_API_URL", bot.base.as_str())];
    let server = folder.serve_with(&[], &environment);
    folder.run(&["webhooks", "set", "bot", &receiver.url]).ok();
    folder.write("token", &format!("{}\n", bot.token()));
    let said = folder.run(&["channels", "add", "telegram", "--token-file", "token"]).ok();
    let channel = said.split_whitespace().nth(1).expect("an id").to_owned();
    examine(&folder, &[], &[]).is_healthy();

    for room in server.shop().open_rooms(12).await {
        server.shop().trigger("bot", Some(&room)).await;
    }
    until_so("the endpoint is failing", async || {
        folder.run(&["webhooks", "endpoints"]).ok().contains("failing")
    })
    .await;
    examine(&folder, &[], &[]).is_only("warning", "endpoints", "bot at");
    folder.run(&["webhooks", "pause", "bot"]).ok();
    bot.set_token("AAE-second-token-of-the-bot-2222");
    folder.run(&["channels", "check", &channel]).failed(1);
    let found = examine(&folder, &[], &[]);
    let channels = found.findings.iter().find(|it| it["check"] == "channels").expect("channels");
    assert_eq!((found.code, &channels["level"]), (Some(1), &"trouble".into()));
    assert!(channels["found"].to_string().contains("unauthorized"), "{channels}");
    assert!(channels["advice"].to_string().contains(&channel), "{channels}");
}

#[tokio::test(flavor = "multi_thread")]
async fn given_up_customer_events_are_counted_with_the_command_to_replay_them() {
    let (folder, bot) = (Folder::embedded().and_app().await, BotApi::start().await);
    let environment = [("CONFAB_TELEGRAM_API_URL", bot.base.as_str())];
    let _server = folder.serve_with(&[], &environment);
    folder.write("token", &format!("{}\n", bot.token()));
    let said = folder.run(&["channels", "add", "telegram", "--token-file", "token"]).ok();
    let channel = said.split_whitespace().nth(1).expect("an id").to_owned();
    // This chat id cannot become a user id.
    let chat = json!({"id": "no id", "type": "private", "first_name": "Ana"});
    let message = json!({"message_id": 1, "date": 1, "chat": chat, "text": "hello"});
    let update = json!({"update_id": 1, "message": message});
    folder.write("update.json", &update.to_string());
    folder.run(&["channels", "play", &channel, "update.json"]).ok();
    let given_up =
        async || folder.run(&["channels", "check", &channel]).ok().contains("failed permanently");
    until_so("the event is given up", given_up).await;
    let found = examine(&folder, &[], &[]);
    found.is_only("warning", "channels", "1 event of customers failed permanently");
    let advice = found.of("warning")[0]["advice"].to_string();
    let filter = ["--kind", "channel_event", "--standing", "failed"];
    assert!(advice.contains(&format!("confab webhooks replay {}", filter.join(" "))), "{advice}");
    let listed = folder.run(&[&["webhooks", "list"], &filter[..]].concat()).ok();
    assert!(listed.contains("channel_event"), "{listed}");
    folder.run(&[&["webhooks", "replay"], &filter[..]].concat()).ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn ready_succeeds_only_while_a_server_answers() {
    let folder = Folder::with_app().await;
    let all = [&["ready"], &FREE_PORT[..]].concat();
    let said = folder.run(&all).failed(1);
    assert!(said.contains("does not respond"), "{said}");
    let server = folder.serve();
    assert_eq!(folder.run(&all).ok(), "ready\n");
    let listen = server.base.trim_start_matches("http://").replace("127.0.0.1", "0.0.0.0");
    // As a container image runs it.
    let named = folder.run_with(&["ready"], &[("CONFAB_LISTEN", &listen)]);
    assert_eq!(named.ok(), "ready\n");
}
