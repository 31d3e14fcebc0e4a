//! The live inbox: rows and messages of conversations as they change (design/support).

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::support::caller::Caller;
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::World;

/// Timeout for a frame that must arrive.
const SOON: Duration = Duration::from_secs(60);

/// An agent's page, connected to the live inbox.
pub(crate) struct Page(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Page {
    pub(crate) async fn of(worker: &Worker) -> Self {
        let mut page = Self::try_of(&worker.caller, &worker.token).await.expect("connects");
        assert_eq!(page.next().await["type"], "hello");
        page
    }

    /// Connects at a node that already receives events from the other nodes.
    ///
    /// Until it does, the node closes inboxes and this connects again. `happens` causes an event
    /// at another node.
    pub(crate) async fn of_hearing(worker: &Worker, happens: impl AsyncFn()) -> Self {
        loop {
            let mut page = Self::of(worker).await;
            happens().await;
            while let Message::Text(text) = page.next_message().await {
                if text.contains(r#""type":"room""#) {
                    return page;
                }
            }
        }
    }

    async fn try_of(caller: &Caller, token: &str) -> Result<Self, Error> {
        let url = format!("{}/api/v2/inbox/live", caller.base.replace("http://", "ws://"));
        let mut request = url.into_client_request()?;
        request.headers_mut().insert("authorization", token.parse().expect("a header"));
        Ok(Self(connect_async(request).await?.0))
    }

    pub(crate) async fn say(&mut self, frame: Value) {
        self.0.send(Message::text(frame.to_string())).await.expect("sent");
    }

    pub(crate) async fn open(&mut self, room: &str) {
        self.say(json!({"type": "open", "room_id": room})).await;
        assert_eq!(self.until("opened").await, json!({"room_id": room}));
    }

    pub(crate) async fn next(&mut self) -> Value {
        match self.next_message().await {
            Message::Text(text) => serde_json::from_str(&text).expect("JSON"),
            other => panic!("a frame is expected, not {other:?}"),
        }
    }

    async fn next_message(&mut self) -> Message {
        loop {
            let next = tokio::time::timeout(SOON, self.0.next()).await.expect("a frame in time");
            match next.expect("an open connection").expect("a frame") {
                Message::Ping(_) | Message::Pong(_) => {}
                message => return message,
            }
        }
    }

    /// Returns all frames until the server closes the connection, and the close code.
    pub(super) async fn until_closed(&mut self) -> (Vec<Value>, u16) {
        let mut shown = Vec::new();
        loop {
            match self.next_message().await {
                Message::Text(text) => shown.push(serde_json::from_str(&text).expect("JSON")),
                Message::Close(Some(frame)) => return (shown, frame.code.into()),
                other => panic!("a frame or a close is expected, not {other:?}"),
            }
        }
    }

    /// Returns the next row, skipping other frames.
    pub(super) async fn row(&mut self) -> Value {
        self.until("room").await["row"].take()
    }

    pub(crate) async fn until(&mut self, kind: &str) -> Value {
        loop {
            let mut frame = self.next().await;
            if frame["type"] == kind {
                return frame["data"].take();
            }
        }
    }

    /// Whether no frame about a conversation arrives before the response to a ping.
    pub(super) async fn receives_nothing(&mut self) -> bool {
        self.say(json!({"type": "ping"})).await;
        loop {
            let frame = self.next().await;
            match frame["type"].as_str() {
                Some("counts" | "agent") => {}
                other => return other == Some("pong"),
            }
        }
    }
}

#[tokio::test]
async fn rows_are_sent_to_agents_who_may_see_them() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let elsewhere = office.open_channel("elsewhere").await;
    let role = confab_domain::agents::role::Role::Agent;
    let cy = office.worker("Cy", role, &[elsewhere]).await;
    let (mut admins, mut bos, mut cys) =
        (Page::of(&admin).await, Page::of(&bo).await, Page::of(&cy).await);
    let ann = office.waiting("ann").await;
    let waits = |row: &Value| row["is_waiting"] == true && row["room_id"] == ann.room().as_str();
    while !waits(&admins.row().await) {}
    while !waits(&bos.row().await) {}
    office.assign(&ann, &bo).await.data();
    let taken = |row: &Value| row["agents"][0]["id"] == bo.id;
    while !taken(&admins.row().await) {}
    while !taken(&bos.row().await) {}
    assert!(cys.receives_nothing().await, "Cy serves another channel only");
}

#[tokio::test]
async fn a_page_is_notified_when_its_agent_loses_access_to_a_conversation() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let mut page = Page::of(&cy).await;
    let ann = office.waiting("ann").await;
    assert_eq!(page.row().await["room_id"], ann.room().as_str());
    office.assign(&ann, &bo).await.data();
    assert_eq!(page.until("room_gone").await, json!({"room_id": ann.room()}));
    page.say(json!({"type": "open", "room_id": ann.room()})).await;
    page.until("error").await;
}

#[tokio::test]
async fn messages_are_sent_to_pages_that_opened_the_conversation() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let (mut opened, mut closed) = (Page::of(&admin).await, Page::of(&admin).await);
    opened.open(&ann.room()).await;
    let answer = json!({"message": "Good morning"});
    bo.post(&format!("/api/v2/customer_rooms/{}/messages", ann.room()), answer).await.data();
    assert_eq!(opened.until("message").await["message"], "Good morning");
    closed.row().await;
    assert!(closed.receives_nothing().await, "the conversation is not open on that page");
    opened.say(json!({"type": "close", "room_id": ann.room()})).await;
    opened.say(json!({"type": "ping"})).await;
    let mut frame = opened.next().await;
    // The row may arrive before or after the message.
    while frame["type"] != "pong" {
        assert_eq!(frame["type"], "room");
        frame = opened.next().await;
    }
}

#[tokio::test]
async fn signing_out_closes_the_live_inbox() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let bo = office.agent("Bo").await;
    let mut page = Page::of(&bo).await;
    bo.log_out().await.data();
    page.until("signed_out").await;
    match page.next_message().await {
        Message::Close(Some(frame)) => assert_eq!(u16::from(frame.code), 1008),
        other => panic!("a close is expected, not {other:?}"),
    }
    assert!(Page::try_of(&bo.caller, &bo.token).await.is_err());
    assert!(Page::try_of(&server, "guess").await.is_err());
}

#[tokio::test]
async fn invalid_frames_are_answered_with_an_error() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let mut page = Page::of(&office.admin().await).await;
    for frame in [json!({}), json!({"type": "open", "room_id": "7"}), json!({"type": "open"})] {
        page.say(frame).await;
        assert_eq!(page.next().await["type"], "error");
    }
    assert!(page.receives_nothing().await);
}

#[tokio::test]
async fn messages_after_an_assignment_are_not_sent_to_agents_who_lost_access() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("ann").await;
    let mut page = Page::of(&cy).await;
    page.open(&ann.room()).await;
    office.says(&ann, "for whoever may take me").await;
    assert_eq!(page.until("message").await["message"], "for whoever may take me");
    office.assign(&ann, &bo).await.data();
    office.says(&ann, "for Bo alone").await;
    let mut kinds = Vec::new();
    while kinds.last().is_none_or(|kind| kind != "room_gone") {
        let frame = page.next().await;
        assert_ne!(frame["type"], "message", "{frame}");
        kinds.push(frame["type"].as_str().expect("a type").to_owned());
    }
    office.says(&ann, "again for Bo alone").await;
    assert!(page.receives_nothing().await);
}
