//! A right that ends at one node no longer permits a request that waits at another node (D-0067).
//!
//! A `psql` session acts as the other node: it changes the account and holds the account's lock, as
//! every decision about an account does. A request that checks its right again waits for that lock.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Stdio};

use confab_domain::agents::role::Role;
use confab_test_servers::postgres::shared;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::Answer;
use crate::support::caller::{sent, with_json};
use crate::support::office::{Office, Worker};
use crate::support::test_server::TestServer;
use crate::support::waiting::until_so;
use crate::support::world::{Customer, World};

/// An uncommitted transaction of another node that changes an account.
struct OtherNode {
    psql: Child,
    output: BufReader<ChildStdout>,
    database: String,
    pid: String,
}

impl OtherNode {
    fn begin_change(database: &str, account: i64, sql: &str) -> Self {
        let app = format!("SELECT app FROM dashboard_users WHERE id = {account}");
        let lock = lock_key(&format!("{} user {account}", shared().psql_at(database, &app)));
        let mut psql = shared().program("psql");
        psql.args(["-qAtX", "-v", "ON_ERROR_STOP=1", database]);
        let mut psql =
            psql.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("psql was found");
        let output = BufReader::new(psql.stdout.take().expect("piped"));
        let (database, pid) = (database.to_owned(), String::new());
        let mut node = Self { psql, output, database, pid };
        node.pid = node.run(&format!(
            "BEGIN; {sql}; SELECT pg_backend_pid() FROM \
             pg_advisory_xact_lock(hashtextextended(current_schema()::text, {lock}));"
        ));
        node
    }

    /// Runs SQL; returns the line that it prints.
    fn run(&mut self, sql: &str) -> String {
        writeln!(self.psql.stdin.as_mut().expect("piped"), "{sql}").expect("written");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("read");
        assert!(!line.is_empty(), "psql failed at `{sql}`");
        line.trim().to_owned()
    }

    /// Whether a session waits for a lock of this transaction.
    fn is_waited_for(&self) -> bool {
        let waiting = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE {} = ANY (pg_blocking_pids(pid))",
            self.pid
        );
        shared().psql_at(&self.database, &waiting) != "0"
    }

    fn commit(mut self) {
        assert_eq!(self.run("COMMIT; SELECT 'done';"), "done");
        drop(self.psql.stdin.take());
        assert!(self.psql.wait().expect("ended").success());
    }
}

/// Returns the number by which all nodes lock a name: FNV-1a, the same in every version.
fn lock_key(name: &str) -> i64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    name.bytes().fold(0xcbf2_9ce4_8422_2325, mix) as i64
}

/// Returns the response to a request whose decision waits until another node has ended its right.
async fn answer_after(other: OtherNode, what: &str, request: reqwest::RequestBuilder) -> Answer {
    let mut answer = tokio::spawn(sent(request));
    let waiting = until_so("the request waits", async || other.is_waited_for());
    tokio::select! {
        answer = &mut answer => {
            panic!("{what} does not check the right: {}", answer.expect("answered").text)
        }
        () = waiting => {}
    }
    other.commit();
    answer.await.expect("answered")
}

/// Returns calls that serve customers, with the role of their callers. The room is unserved.
fn calls(room: &str, contact: i64, agent: i64, button: &Value) -> Vec<(Role, String, Value)> {
    let in_room = |what: &str| format!("/api/v2/customer_rooms/{room}{what}");
    let of_room = || json!({"room_id": room});
    let assigned = || json!({"room_id": room, "agent_id": agent});
    let canned = json!({"shortcut": "planted", "text": "planted", "is_shared": true});
    let supervisors = [
        ("/api/v1/admin/service/assign_agent".to_owned(), assigned()),
        ("/api/v1/admin/service/allocate_assign_agent".to_owned(), of_room()),
        ("/api/v1/admin/service/remove_agent".to_owned(), assigned()),
        ("/api/v1/admin/service/mark_as_resolved".to_owned(), of_room()),
        (in_room("/messages"), json!({"message": "planted"})),
        (in_room("/transfer"), json!({"agent_id": agent})),
        (in_room("/leave"), json!({})),
        (in_room("/reopen"), json!({})),
        (in_room("/bot"), json!({"is_on": true})),
        (format!("/bot/{room}/activate"), json!({"is_active": true})),
        (format!("/api/v2/room_tags/{room}"), json!({"tag": "planted"})),
        ("/api/v1/room_tag/create".to_owned(), json!({"room_id": room, "tag": "planted"})),
        (format!("DELETE /api/v2/room_tags/{room}/1"), Value::Null),
        (format!("PUT {}", in_room("/infos/planted")), json!({"value": "planted"})),
        (format!("DELETE {}", in_room("/infos/planted")), Value::Null),
        (
            format!("/api/v1/service/room/{room}/user_info"),
            json!({"user_properties": [{"key": "planted", "value": "planted"}]}),
        ),
        (format!("PATCH /api/v2/contacts/{contact}"), json!({"name": "Planted"})),
        (format!("/api/v2/custom_buttons/{button}/press"), of_room()),
        ("/api/v2/canned_replies".to_owned(), canned),
    ];
    let agents = [
        ("/api/v1/agent/service/assign_agent".to_owned(), assigned()),
        ("/api/v2/agent/service/add_agent".to_owned(), assigned()),
        ("/api/v2/agent/service/takeover_unserved".to_owned(), of_room()),
        ("/api/v2/agent/service/takeover_unserved".to_owned(), json!({})),
        ("/api/v1/agent/service/takeover_unresolved_room".to_owned(), json!({})),
        ("/api/v1/agent/service/mark_as_resolved".to_owned(), of_room()),
        (in_room("/messages"), json!({"message": "planted"})),
    ];
    let by = |role| move |(path, body)| (role, path, body);
    let supervisors = supervisors.into_iter().map(by(Role::Supervisor));
    supervisors.chain(agents.into_iter().map(by(Role::Agent))).collect()
}

fn request(by: &Worker, path: &str, body: &Value) -> reqwest::RequestBuilder {
    let (method, path) = path.split_once(' ').unwrap_or(("POST", path));
    let request = by.request(method.parse::<Method>().expect("a method"), path);
    if body.is_null() { request } else { with_json(request, body) }
}

/// Two nodes on one database, and an app as seen through the second.
struct Scene {
    database: String,
    office: World,
    _nodes: (TestServer, TestServer),
}

impl Scene {
    async fn new() -> Self {
        let database = shared().new_schema();
        let nodes = TestServer::start_two_on(&database, &[]).await;
        let office = World::of(&nodes.0).await.at(&nodes.1);
        Self { database, office, _nodes: nodes }
    }

    /// Returns the row of a conversation, without its waiting time.
    async fn row(&self, customer: &Customer) -> Value {
        let mut row = self.office.room(customer).await;
        row.as_object_mut().expect("an object").remove("waiting_seconds");
        row
    }

    fn run(&self, sql: &str) {
        shared().psql_at(&self.database, sql);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_that_changes_while_a_request_waits_no_longer_permits_it() {
    let scene = Scene::new().await;
    let customer = scene.office.waiting("ann").await;
    let button = json!({"label": "Check", "webhook_url": "https://example.com/"});
    let made = Office::of(&scene.office.caller).post("/api/v2/custom_buttons", button).await;
    let button = made.data()["custom_button"]["id"].clone();
    let free = scene.office.agent("Free").await;
    let supervisor = scene.office.worker("Su", Role::Supervisor, &[]).await;
    let agent = scene.office.agent("Bo").await;
    let before = scene.row(&customer).await;
    let contact = before["contact_id"].as_i64().expect("an id");
    for (role, path, body) in calls(&customer.room(), contact, free.id, &button) {
        let (by, becomes) = match role {
            Role::Supervisor => (&supervisor, Role::Agent),
            _ => (&agent, Role::Supervisor),
        };
        let set = |role: Role| {
            format!("UPDATE dashboard_users SET role = {} WHERE id = {}", role.number(), by.id)
        };
        let other = OtherNode::begin_change(&scene.database, by.id, &set(becomes));
        let answer = answer_after(other, &path, request(by, &path, &body)).await;
        answer.errors(403, "forbidden");
        scene.run(&set(role));
    }
    assert_eq!(scene.row(&customer).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bulk_action_does_nothing_if_its_supervisor_is_demoted_while_it_waits() {
    let scene = Scene::new().await;
    let customer = scene.office.waiting("ann").await;
    let agent = scene.office.agent("Bo").await;
    let by = scene.office.worker("Su", Role::Supervisor, &[]).await;
    let before = scene.row(&customer).await;
    let set = |role: Role| {
        format!("UPDATE dashboard_users SET role = {} WHERE id = {}", role.number(), by.id)
    };
    for deed in [
        json!({"deed": "assign", "agent_id": agent.id}),
        json!({"deed": "resolve"}),
        json!({"deed": "tag", "tag": "planted"}),
        json!({"deed": "untag", "tag": "planted"}),
    ] {
        let mut body = deed.clone();
        body["room_ids"] = json!([customer.room()]);
        let other = OtherNode::begin_change(&scene.database, by.id, &set(Role::Agent));
        let request = request(&by, "/api/v2/customer_rooms/bulk", &body);
        let rooms = answer_after(other, &deed.to_string(), request).await.data()["rooms"].take();
        assert_eq!(rooms[0]["is_done"], false, "{deed}");
        scene.run(&set(Role::Supervisor));
    }
    assert_eq!(scene.row(&customer).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_signed_out_while_a_message_waits_posts_nothing() {
    let scene = Scene::new().await;
    let customer = scene.office.waiting("ann").await;
    let by = scene.office.agent("Bo").await;
    scene.office.assign(&customer, &by).await.data();
    let before = scene.office.texts(&customer).await;
    let ended = format!(
        "UPDATE dashboard_users SET updated_at = updated_at + 1 WHERE id = {0}; \
         DELETE FROM sign_ins WHERE dashboard_user = {0}",
        by.id
    );
    let path = format!("/api/v2/customer_rooms/{}/messages", customer.room());
    let other = OtherNode::begin_change(&scene.database, by.id, &ended);
    let request = request(&by, &path, &json!({"message": "planted"}));
    answer_after(other, &path, request).await.errors(401, "unauthorized");
    assert_eq!(scene.office.texts(&customer).await, before);
}
