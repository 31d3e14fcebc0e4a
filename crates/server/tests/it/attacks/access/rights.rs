//! A user's permissions end when the right ends, even for requests in flight (D-0067).

use reqwest::Method;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::realtime::mqtt::client::{MqttClient, called};
use crate::realtime::watcher::{SOON, Watcher};
use crate::support::answer::{Answer, items, text};
use crate::support::caller::sent;
use crate::support::office::{Office, PASSWORD, Worker};
use crate::support::process::Folder;
use crate::support::raw_connection::RawConnection;
use crate::support::test_server::TestServer;

const ROUNDS: usize = 25;

async fn delete(by: &Worker, target: &Worker) -> Answer {
    by.post(&format!("/api/v1/admin/agent/{}/delete", target.id), json!({})).await
}

async fn demote(by: &Worker, target: &Worker) -> Answer {
    let path = format!("/api/v2/admin/agent/{}/update", target.id);
    by.post(&path, json!({"type": "agent"})).await
}

async fn admins(office: &Office) -> usize {
    let listed = office.get("/api/v2/admin/agents", &[("limit", "100")]).await.json();
    items(&listed["data"]["agents"]).iter().filter(|it| it["type_as_string"] == "admin").count()
}

/// Asserts that one of two requests succeeded and the other was refused with this status.
fn one_succeeds(first: &Answer, second: &Answer, refused: u16) {
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, refused], "{} and {}", first.text, second.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_admins_deleting_each_other_concurrently_leave_one_admin() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    for round in 0..ROUNDS {
        let one = office.hire(&format!("one-{round}"), "admin").await;
        let other = office.hire(&format!("other-{round}"), "admin").await;
        let (first, second) = tokio::join!(delete(&one, &other), delete(&other, &one));
        one_succeeds(&first, &second, 401);
        assert_ne!(one.is_signed_in().await, other.is_signed_in().await);
    }
    assert_eq!(admins(&office).await, ROUNDS);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_admins_demoting_each_other_concurrently_leave_one_admin() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    for round in 0..ROUNDS {
        let one = office.hire(&format!("one-{round}"), "admin").await;
        let other = office.hire(&format!("other-{round}"), "admin").await;
        let (first, second) = tokio::join!(demote(&one, &other), demote(&other, &one));
        one_succeeds(&first, &second, 403);
    }
    assert_eq!(admins(&office).await, ROUNDS);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_admin_of_an_app_cannot_be_deleted_or_demoted() {
    let server = TestServer::start().await;
    for round in 0..ROUNDS {
        let office = Office::of(&server.create_app(&format!("app-{round}")).await);
        let one = office.create("one", "admin").await["id"].clone();
        let other = office.create("other", "admin").await["id"].clone();
        let delete = |id: &Value| {
            let path = format!("/api/v1/admin/agent/{id}/delete");
            let office = &office;
            async move { office.post(&path, json!({})).await }
        };
        let (first, second) = tokio::join!(delete(&one), delete(&other));
        one_succeeds(&first, &second, 409);
        let left = if first.status == 200 { other } else { one };
        delete(&left).await.errors(409, "last_admin");
        let path = format!("/api/v2/admin/agent/{left}/update");
        office.post(&path, json!({"type": "agent"})).await.errors(409, "last_admin");
        office.post(&path, json!({"type": "admin", "name": "Left"})).await.data();
    }
}

/// Sends the head and three bytes of a request that creates an admin.
async fn half_a_request(by: &Worker, body: &Value) -> RawConnection {
    let mut connection = RawConnection::open(&by.caller.base).await;
    let length = body.to_string().len();
    let head = format!(
        "POST /api/v2/admin/create_agent HTTP/1.1\r\nHost: confab\r\nAuthorization: {}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n",
        by.token
    );
    connection.write(head).await;
    connection.write(&body.to_string()[..3]).await;
    connection
}

#[tokio::test(flavor = "multi_thread")]
async fn a_right_that_ends_during_a_request_no_longer_permits_it() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let boss = office.hire("boss", "admin").await;
    for (ending, status) in [("logout", 401), ("demotion", 403), ("password", 401), ("end", 401)] {
        let admin = office.hire(ending, "admin").await;
        let email = office.email(&format!("planted-{ending}"));
        let body = json!({"name": "Eve", "email": email, "password": PASSWORD, "type": "admin"});
        let mut half = half_a_request(&admin, &body).await;
        let path = format!("/api/v2/admin/agent/{}/update", admin.id);
        match ending {
            "logout" => admin.log_out().await,
            "demotion" => demote(&boss, &admin).await,
            "password" => boss.post(&path, json!({"password": "another one of ours"})).await,
            _ => delete(&boss, &admin).await,
        }
        .data();
        half.write(&body.to_string()[3..]).await;
        assert_eq!(half.answer().await.status, status, "{ending}");
    }
    let listed = office.get("/api/v2/admin/agents", &[("limit", "100")]).await;
    assert!(!listed.text.contains("planted"), "{}", listed.text);
}

/// All kinds of connections that an agent's key opens.
struct Connected {
    key: String,
    watcher: Watcher,
    stream: reqwest::Response,
    mqtt: MqttClient,
}

impl Connected {
    async fn with(server: &TestServer, key: &str) -> Self {
        let mut watcher = Watcher::try_start(server, key, "").await.expect("connects");
        assert_eq!(watcher.next().await["type"], "hello");
        let request = server.bare(Method::GET, "/realtime").header("SERVICE-SDK-TOKEN", key);
        let mut stream = request.send().await.expect("an answer");
        assert!(
            stream.chunk().await.expect("readable").is_some(),
            "the stream begins with a greeting"
        );
        let mut mqtt = called("a-phone").by_tcp(server).await;
        assert_eq!(mqtt.subscribe(&[&format!("{key}/c")]).await, "0");
        Self { key: key.to_owned(), watcher, stream, mqtt }
    }

    /// Asserts that all connections are closed and the key is no longer valid.
    async fn check_ended(mut self, server: &TestServer) {
        assert_eq!(self.watcher.closed().await, CloseCode::Policy);
        let end = tokio::time::timeout(SOON, async {
            while let Ok(Some(_)) = self.stream.chunk().await {}
        });
        end.await.expect("the stream ends soon");
        assert_eq!(self.mqtt.closed().await, []);
        assert_eq!(my_profile(server, &self.key).await.status, 403);
        assert!(Watcher::try_start(server, &self.key, "").await.is_err());
    }

    async fn check_works(&mut self, server: &TestServer) {
        assert_eq!(my_profile(server, &self.key).await.status, 200);
        self.mqtt.ping().await;
    }
}

/// Makes a request with an agent's key, as any SDK client does.
async fn my_profile(server: &TestServer, key: &str) -> Answer {
    let request = server.bare(Method::GET, "/api/v2/sdk/my_profile");
    sent(request.header("SERVICE-SDK-APP-ID", "shop").header("SERVICE-SDK-TOKEN", key)).await
}

async fn key_of(worker: &Worker) -> String {
    text(&worker.get("/api/v1/admin/get_profile", &[]).await.data()["sdk_key"]).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_sdk_key_is_shared_by_all_sign_ins_and_ends_with_the_last() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let (first, second) = (office.hire("ana", "agent").await, office.sign_in("ana").await);
    let key = key_of(&first).await;
    assert_eq!(key_of(&second).await, key, "all sign-ins share one key");
    let mut connected = Connected::with(&server, &key).await;
    first.log_out().await.data();
    connected.check_works(&server).await;
    second.log_out().await.data();
    connected.check_ended(&server).await;
    let again = key_of(&office.sign_in("ana").await).await;
    assert_ne!(again, key);
    Connected::with(&server, &again).await.check_works(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_out_of_a_page_ends_the_sdk_key_only_with_the_last_sign_in() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let (page, app) = (office.hire("ana", "agent").await, office.sign_in("ana").await);
    let mut connected = Connected::with(&server, &key_of(&app).await).await;
    page.post("/api/v2/sign_out", json!({})).await.data();
    connected.check_works(&server).await;
    app.post("/api/v2/sign_out", json!({})).await.data();
    connected.check_ended(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_password_or_role_and_deletion_end_the_sdk_key() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let boss = office.hire("boss", "admin").await;
    let bosses = Connected::with(&server, &key_of(&boss).await).await;
    for ending in ["own", "given", "role", "deletion"] {
        let ana = office.hire(ending, "agent").await;
        let connected = Connected::with(&server, &key_of(&ana).await).await;
        let path = format!("/api/v2/admin/agent/{}/update", ana.id);
        let new = "another one of ours";
        match ending {
            "own" => {
                let body = json!({"current_password": PASSWORD, "new_password": new});
                ana.post("/api/v1/auth/change_password", body).await
            }
            "given" => boss.post(&path, json!({"password": new})).await,
            "role" => boss.post(&path, json!({"type": "supervisor"})).await,
            _ => delete(&boss, &ana).await,
        }
        .data();
        connected.check_ended(&server).await;
        if ending == "role" {
            Connected::with(&server, &key_of(&ana).await).await.check_works(&server).await;
        }
    }
    let mut bosses = bosses;
    bosses.check_works(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_that_end_no_right_do_not_end_the_sdk_key() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let boss = office.hire("boss", "admin").await;
    let ana = office.hire("ana", "agent").await;
    let mut connected = Connected::with(&server, &key_of(&ana).await).await;
    let path = format!("/api/v2/admin/agent/{}/update", ana.id);
    boss.post(&path, json!({"name": "Anna", "type": "agent"})).await.data();
    let forced = format!("/api/v2/admin/agent/{}/set_force_offline", ana.id);
    boss.post(&forced, json!({"force_offline": true})).await.data();
    let wrong = json!({"current_password": "a wrong one", "new_password": "another one of ours"});
    ana.post("/api/v1/auth/change_password", wrong).await.errors(401, "unauthorized");
    connected.check_works(&server).await;
    assert_eq!(key_of(&ana).await, connected.key);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_reset_by_the_operator_ends_the_sdk_key_at_once() {
    let folder = Folder::new();
    let preset = [("CONFAB_SECRET_KEY", "secret-key-of-shop"), ("CONFAB_APP_ID", "shop")];
    let program = folder.serve_with(&[], &preset);
    let caller = program.first_app();
    let office = Office::of(&caller);
    let ana = office.hire("ana", "agent").await;
    let key = key_of(&ana).await;
    let mut watcher = Watcher::try_start(&caller, &key, "").await.expect("connects");
    assert_eq!(watcher.next().await["type"], "hello");
    folder.run_with_input(&["user", "reset-password", "ana@shop.example"], "three new words").ok();
    assert!(!ana.is_signed_in().await);
    assert!(Watcher::try_start(&caller, &key, "").await.is_err());
    // Connections are closed by the next sign-in and the background work after it.
    let user = office.try_to_sign_in("ana", "three new words").await.data()["user"].take();
    assert_ne!(text(&user["sdk_key"]), key);
    assert_eq!(watcher.closed().await, CloseCode::Policy);
}
