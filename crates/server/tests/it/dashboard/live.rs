//! The live inbox: counts, agents, viewers, typing and receipts, and the loss of access
//! (design/support).

use std::time::Duration;

use confab_domain::agents::role::Role;
use reqwest::Method;
use serde_json::{Value, json};

use super::inbox::Page;
use crate::support::answer::text;
use crate::support::caller::sent;
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World};

const COUNTS: &str = "/api/v2/customer_rooms/counts";

/// Timeout for a frame that must arrive.
const SOON: Duration = Duration::from_secs(60);

fn path(customer: &Customer, what: &str) -> String {
    format!("/api/v2/customer_rooms/{}{what}", customer.room())
}

async fn row(by: &Worker, customer: &Customer) -> Value {
    by.get(&path(customer, ""), &[]).await.data()["customer_room"].take()
}

#[tokio::test]
async fn counts_are_sent_after_a_change() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let elsewhere = office.open_channel("elsewhere").await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let cy = office.worker("Cy", Role::Agent, &[elsewhere]).await;
    let (mut admins, mut bos, mut cys) =
        (Page::of(&admin).await, Page::of(&bo).await, Page::of(&cy).await);
    let ann = office.waiting("ann").await;
    for page in [&mut admins, &mut bos] {
        while page.until("counts").await["unassigned"] != 1 {}
    }
    office.assign(&ann, &bo).await.data();
    while bos.until("counts").await["mine"] != 1 {}
    let mut counts = admins.until("counts").await;
    while counts["unassigned"] != 0 {
        counts = admins.until("counts").await;
    }
    assert_eq!(counts, admin.get(COUNTS, &[]).await.data());
    cys.say(json!({"type": "ping"})).await;
    loop {
        let frame = cys.next().await;
        assert_ne!(frame["type"], "counts", "counts without a change are not sent");
        if frame["type"] == "pong" {
            break;
        }
    }
}

#[tokio::test]
async fn availability_and_load_of_an_agent_are_sent_to_colleagues() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let boss = office.worker("Su", Role::Supervisor, &[]).await;
    let other = server.create_app("other").await;
    let stranger = World::of_app(&server, &other).await.admin().await;
    let (mut admins, mut cys) = (Page::of(&admin).await, Page::of(&cy).await);
    let mut strangers = Page::of(&stranger).await;
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let serves = json!({"id": bo.id, "is_available": true, "force_offline": false, "serves": 1});
    for page in [&mut admins, &mut cys] {
        while page.until("agent").await != serves {}
    }
    let away = json!({"is_available": false});
    bo.post("/api/v1/agent/set_availability", away.clone()).await.data();
    let gone = json!({"id": bo.id, "is_available": false, "force_offline": false, "serves": 1});
    for page in [&mut admins, &mut cys] {
        while page.until("agent").await != gone {}
    }
    boss.post("/api/v1/set_availability", away).await.data();
    while admins.until("agent").await["id"] != boss.id {}
    cys.say(json!({"type": "ping"})).await;
    loop {
        let frame = cys.next().await;
        assert_ne!(frame["data"]["id"], boss.id, "supervisors are not shown to agents");
        if frame["type"] == "pong" {
            break;
        }
    }
    strangers.say(json!({"type": "ping"})).await;
    assert_eq!(strangers.next().await["type"], "pong", "another app's page receives nothing");
}

fn viewer(worker: &Worker, name: &str, is_typing: bool) -> Value {
    json!({"id": worker.id, "name": name, "is_typing": is_typing})
}

#[tokio::test]
async fn viewers_of_a_conversation_are_shown_to_its_other_viewers() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let (mut admins, mut closed) = (Page::of(&admin).await, Page::of(&admin).await);
    let viewers = |agents: &[Value]| json!({"room_id": ann.room(), "agents": agents});
    let ada = viewer(&admin, "Ada", false);
    admins.open(&ann.room()).await;
    assert_eq!(admins.until("viewers").await, viewers(std::slice::from_ref(&ada)));
    let mut bos = Page::of(&bo).await;
    bos.open(&ann.room()).await;
    let both = viewers(&[ada.clone(), viewer(&bo, "Bo", false)]);
    assert_eq!(bos.until("viewers").await, both);
    assert_eq!(admins.until("viewers").await, both);
    bos.say(json!({"type": "typing", "room_id": ann.room(), "is_typing": true})).await;
    let typing = viewers(&[ada.clone(), viewer(&bo, "Bo", true)]);
    assert_eq!(admins.until("viewers").await, typing);
    drop(bos);
    assert_eq!(admins.until("viewers").await, viewers(&[ada]), "Bo is no longer a viewer");
    assert!(closed.receives_nothing().await, "no conversation is open on that page");
}

#[tokio::test]
async fn receipts_and_typing_are_sent_to_pages_that_opened_the_conversation() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    office.says(&ann, "are you there?").await;
    let (mut admins, mut bos) = (Page::of(&admin).await, Page::of(&bo).await);
    admins.open(&ann.room()).await;
    let last = row(&bo, &ann).await["last_comment_id"].clone();
    bos.say(json!({"type": "read", "room_id": ann.room(), "comment_id": last})).await;
    let read = admins.until("read").await;
    assert_eq!((&read["user_id"], &read["room_id"]), (&json!(bo.user_id()), &json!(ann.room())));
    assert_eq!(read["comment_id"].to_string(), text(&last));
    bos.say(json!({"type": "typing", "room_id": ann.room(), "is_typing": true})).await;
    let typing = admins.until("typing").await;
    assert_eq!((&typing["username"], &typing["is_typing"]), (&json!("Bo"), &json!(true)));
}

#[tokio::test]
async fn reading_on_one_page_is_shown_only_on_other_pages_of_the_same_agent() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    let (mut one, mut two, mut bos) =
        (Page::of(&admin).await, Page::of(&admin).await, Page::of(&bo).await);
    let before = row(&admin, &ann).await;
    let read = json!({"type": "read", "room_id": ann.room(),
        "comment_id": before["last_comment_id"]});
    one.say(read).await;
    for page in [&mut one, &mut two] {
        let mut row = page.row().await;
        while row["is_seen"] != true {
            row = page.row().await;
        }
        assert_eq!(row["version"], before["version"]);
    }
    admin.post(&path(&ann, "/unread"), json!({})).await.data();
    while two.row().await["is_seen"] != false {}
    assert!(bos.receives_nothing().await);
    bos.say(json!({"type": "read", "room_id": "1", "comment_id": "1"})).await;
    assert!(bos.until("error").await["message"].is_string());
}

#[tokio::test]
async fn deleting_the_last_message_of_a_conversation_sends_its_row_again() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let body = json!({"message": "a slip"});
    let posted = bo.post(&path(&ann, "/messages"), body).await.data()["comment"].take();
    let before = row(&admin, &ann).await["version"].as_i64();
    let mut page = Page::of(&admin).await;
    server.delete_messages(&[text(&posted["unique_temp_id"])]).await.results();
    let mut row = page.row().await;
    while row["last_comment_text"] == "a slip" {
        row = page.row().await;
    }
    assert!(row["version"].as_i64() > before);
}

#[tokio::test]
async fn opening_a_conversation_after_a_message_sends_missed_messages_once_and_in_order() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let ann = office.waiting("ann").await;
    let first = row(&admin, &ann).await["last_comment_id"].clone();
    for number in 1..=5 {
        office.says(&ann, &number.to_string()).await;
    }
    let mut page = Page::of(&admin).await;
    let open = json!({"type": "open", "room_id": ann.room(), "after_id": first});
    page.say(open.clone()).await;
    assert_eq!(page.until("opened").await, json!({"room_id": ann.room()}));
    office.says(&ann, "6").await;
    for number in 1..=6 {
        assert_eq!(page.until("message").await["message"], number.to_string());
    }
    assert!(page.receives_no_message().await);
    for number in 7..=207 {
        office.says(&ann, &number.to_string()).await;
    }
    let mut late = Page::of(&admin).await;
    late.say(open).await;
    assert_eq!(late.until("resync").await, json!({"room_id": ann.room()}));
    office.says(&ann, "208").await;
    assert_eq!(
        late.until("message").await["message"],
        "208",
        "new messages are sent after a resync"
    );
}

/// Runs on PostgreSQL, regardless of the configured engine.
#[tokio::test(flavor = "multi_thread")]
async fn an_inbox_at_another_node_receives_the_same_events() {
    let (one, two) = TestServer::start_two_with(&[]).await;
    let here = World::of(&one).await;
    let (admin, bo) = (here.admin().await, here.agent("Bo").await);
    let there = Worker { caller: here.at(&two).caller.clone(), ..admin.clone() };
    let zoe = here.waiting("zoe").await;
    let mut page = Page::of_hearing(&there, async || here.says(&zoe, "hello?").await).await;
    let ann = here.waiting("ann").await;
    while page.until("counts").await["unassigned"] != 2 {}
    here.assign(&ann, &bo).await.data();
    let serves = json!({"id": bo.id, "is_available": true, "force_offline": false, "serves": 1});
    while page.until("agent").await != serves {}
    let (shown, other) = (row(&admin, &ann).await, row(&there, &ann).await);
    assert_eq!(shown["version"], other["version"]);
    let body = json!({"comment_id": shown["last_comment_id"]});
    admin.post(&path(&ann, "/read"), body).await.data();
    while page.row().await["is_seen"] != true {}
    let tag = admin.post(&format!("/api/v2/room_tags/{}", ann.room()), json!({"tag": "vip"})).await;
    let tag = tag.data()["id"].clone();
    admin.put(&format!("/api/v2/tags/{tag}"), json!({"name": "VIP"})).await.data();
    assert_eq!(page.until("tags").await, json!({}));
    assert_eq!(row(&there, &ann).await["tags"][0]["name"], "VIP");
}

/// Runs on PostgreSQL, regardless of the configured engine.
#[tokio::test(flavor = "multi_thread")]
async fn viewers_of_a_conversation_at_another_node_are_shown() {
    let (one, two) = TestServer::start_two_with(&[]).await;
    let here = World::of(&one).await;
    let (admin, bo) = (here.admin().await, here.agent("Bo").await);
    let there = Worker { caller: here.at(&two).caller.clone(), ..bo.clone() };
    let ann = here.waiting("ann").await;
    here.assign(&ann, &bo).await.data();
    let viewers = |agents: &[Value]| json!({"room_id": ann.room(), "agents": agents});
    let (ada, bob) = (viewer(&admin, "Ada", false), viewer(&bo, "Bo", false));
    let mut bos = Page::of_hearing(&there, async || here.says(&ann, "hello?").await).await;
    bos.open(&ann.room()).await;
    let mut admins = Page::of(&admin).await;
    admins.open(&ann.room()).await;
    let both = viewers(&[bob.clone(), ada.clone()]);
    while bos.until("viewers").await != both {}
    let same = viewers(&[ada.clone(), bob]);
    while admins.until("viewers").await != same {}
    bos.say(json!({"type": "typing", "room_id": ann.room(), "is_typing": true})).await;
    let typing = viewers(&[ada.clone(), viewer(&bo, "Bo", true)]);
    while admins.until("viewers").await != typing {}
    drop(bos);
    let alone = viewers(&[ada]);
    while admins.until("viewers").await != alone {}
}

/// Types in the conversation on an open page, and posts a message of the customer.
async fn type_and_write(office: &World, customer: &Customer, page: &mut Page) {
    page.say(json!({"type": "typing", "room_id": customer.room(), "is_typing": true})).await;
    page.until("typing").await;
    office.says(customer, "for those who serve me").await;
}

/// Asserts that the server closes the page without messages or typing of the conversation, and that
/// the agent may not open the conversation again.
async fn check_access_lost(page: &mut Page, worker: &Worker, customer: &Customer) {
    let (shown, code) = page.until_closed().await;
    let is_typing = |it: &Value| it.to_string().contains(r#""is_typing":true"#);
    let is_shown = |it: &Value| it["type"] == "message" || it["type"] == "typing" || is_typing(it);
    assert!(!shown.iter().any(is_shown), "{shown:?}");
    assert_eq!(code, 1008, "with this code, the dashboard reloads its rights and connects again");
    let mut again = Page::of(worker).await;
    again.say(json!({"type": "open", "room_id": customer.room()})).await;
    again.until("error").await;
}

async fn change(office: &World, worker: &Worker, change: Value) {
    office.post(&format!("/api/v2/admin/agent/{}/update", worker.id), change).await.data();
}

#[tokio::test]
async fn demoting_a_supervisor_ends_the_access_of_their_open_page() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let su = office.worker("Su", Role::Supervisor, &[]).await;
    let bo = office.agent("Bo").await;
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let (mut bos, mut page) = (Page::of(&bo).await, Page::of(&su).await);
    bos.open(&ann.room()).await;
    page.open(&ann.room()).await;
    change(&office, &su, json!({"type": "agent"})).await;
    type_and_write(&office, &ann, &mut bos).await;
    check_access_lost(&mut page, &su, &ann).await;
}

/// Runs on PostgreSQL, regardless of the configured engine.
#[tokio::test(flavor = "multi_thread")]
async fn demoting_a_supervisor_at_another_node_ends_the_access_of_their_open_page() {
    let (one, two) = TestServer::start_two_with(&[]).await;
    let office = World::of(&one).await;
    let su = office.worker("Su", Role::Supervisor, &[]).await;
    let bo = office.agent("Bo").await;
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let there = Worker { caller: office.at(&two).caller.clone(), ..su.clone() };
    let mut page = Page::of_hearing(&there, async || office.says(&ann, "hello?").await).await;
    page.open(&ann.room()).await;
    let mut bos = Page::of(&bo).await;
    bos.open(&ann.room()).await;
    change(&office, &su, json!({"type": "agent"})).await;
    type_and_write(&office, &ann, &mut bos).await;
    check_access_lost(&mut page, &there, &ann).await;
}

#[tokio::test]
async fn removing_an_agent_from_a_channel_ends_their_pages_access_to_waiting_customers() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let elsewhere = office.open_channel("elsewhere").await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    let (mut admins, mut page) = (Page::of(&admin).await, Page::of(&bo).await);
    admins.open(&ann.room()).await;
    page.open(&ann.room()).await;
    change(&office, &bo, json!({"channel_ids": [elsewhere.0]})).await;
    office.says(&ann, "for who serves me").await;
    check_access_lost(&mut page, &bo, &ann).await;
}

#[tokio::test]
async fn disabling_takeover_ends_open_pages_access_to_waiting_customers() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let bo = office.agent("Bo").await;
    let ann = office.waiting("ann").await;
    let mut page = Page::of(&bo).await;
    page.open(&ann.room()).await;
    let off = json!({"is_agent_takeover_enabled": false});
    office.call(Method::PATCH, "/api/v2/settings", off).await.data();
    check_access_lost(&mut page, &bo, &ann).await;
}

#[tokio::test]
async fn deleting_an_agent_closes_their_open_page() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &cy).await.data();
    let mut page = Page::of(&cy).await;
    page.open(&ann.room()).await;
    office.post(&format!("/api/v1/admin/agent/{}/delete", cy.id), json!({})).await.data();
    office.assign(&ann, &bo).await.data();
    office.says(&ann, "for Bo alone").await;
    let (shown, code) = page.until_closed().await;
    assert!(shown.iter().all(|it| it["type"] != "message"), "{shown:?}");
    assert_eq!((&shown.last().expect("a frame")["type"], code), (&json!("signed_out"), 1008));
}

#[tokio::test]
async fn changes_that_end_no_access_leave_a_page_connected() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let mut page = Page::of(&bo).await;
    change(&office, &bo, json!({"name": "Bobby"})).await;
    change(&office, &cy, json!({"type": "supervisor"})).await;
    page.say(json!({"type": "ping"})).await;
    page.until("pong").await;
}

#[tokio::test]
async fn an_event_stream_opens_the_conversations_named_in_its_query() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    for (customer, agent) in [(&ann, &bo), (&ben, &cy)] {
        office.assign(customer, agent).await.data();
    }
    let address = format!("/api/v2/inbox/live?room_id={}&room_id={}", ann.room(), ben.room());
    let mut events = Events::of(&bo, &address).await;
    assert_eq!(events.next().await["type"], "hello");
    assert_eq!(events.next().await["data"]["room_id"], ann.room().as_str());
    assert_eq!(events.next().await["type"], "error", "Bo may not open Cy's conversation");
    office.says(&ben, "for Cy").await;
    office.says(&ann, "for Bo").await;
    let mut frame = events.next().await;
    while frame["type"] != "message" {
        frame = events.next().await;
    }
    assert_eq!(frame["data"]["message"], "for Bo");
    for wrong in ["room_id=x", "room_id=", &"room_id=1&".repeat(21)] {
        let address = format!("/api/v2/inbox/live?{wrong}");
        sent(bo.request(Method::GET, &address)).await.errors(400, "invalid_request");
    }
    bo.log_out().await.data();
    while events.next().await["type"] != "signed_out" {}
    events.end().await;
}

/// An agent's stream of server-sent events.
struct Events {
    response: reqwest::Response,
    text: String,
}

impl Events {
    async fn of(worker: &Worker, address: &str) -> Self {
        let response = worker.request(Method::GET, address).send().await.expect("an answer");
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, text: String::new() }
    }

    async fn next(&mut self) -> Value {
        loop {
            if let Some(end) = self.text.find("\n\n") {
                let event: String = self.text.drain(..end + 2).collect();
                let data = event.lines().find_map(|line| line.strip_prefix("data: "));
                return serde_json::from_str(data.expect("data")).expect("JSON");
            }
            let chunk = tokio::time::timeout(SOON, self.response.chunk()).await.expect("in time");
            let chunk = chunk.expect("readable").expect("an open stream");
            self.text.push_str(std::str::from_utf8(&chunk).expect("text"));
        }
    }

    async fn end(mut self) {
        let end = tokio::time::timeout(SOON, self.response.chunk()).await.expect("in time");
        assert!(!matches!(end, Ok(Some(_))), "the stream is over");
    }
}

impl Page {
    /// Whether no message arrives before the response to a ping.
    async fn receives_no_message(&mut self) -> bool {
        self.say(json!({"type": "ping"})).await;
        loop {
            let frame = self.next().await;
            match frame["type"].as_str() {
                Some("message") => return false,
                Some("pong") => return true,
                _ => {}
            }
        }
    }
}
