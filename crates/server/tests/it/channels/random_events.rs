//! Property test of random customer events: each leaves a message or a failed delivery, and nothing
//! of it reaches another customer's room (design/channels).

use std::collections::{BTreeMap, BTreeSet};

use confab_domain::webhooks::event_kind::EventKind;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::messenger::stage::{FB, PageStage};
use crate::support::answer::{items, text};
use crate::support::caller::unique_id;

const CASES: usize = 6;
const STEPS: usize = 40;
const CUSTOMERS: usize = 3;
const MESSAGES: usize = 4;

/// A message that an event refers to: of any customer, of another tool, or unknown.
#[derive(Debug, Clone, Copy)]
enum Reference {
    Posted(usize, usize),
    Echoed(usize, usize),
    Unknown,
}

#[derive(Debug, Clone, Copy)]
enum Event {
    Says { mid: usize, to: Option<Reference>, is_odd: bool },
    Edits { mid: usize, count: usize },
    Deletes { mid: usize },
    Reacts { to: Reference, is_undone: bool },
    Presses { to: Reference },
    IsEchoed { mid: usize, to: Option<Reference> },
    Reads { to: Reference },
}

/// A step of a test case: a customer's event, or an action in between.
#[derive(Debug, Clone, Copy)]
enum Step {
    Event(Event, bool),
    Resolve,
    Block(bool),
    Remove,
    DeleteMessage(prop::sample::Index),
}

fn reference() -> impl Strategy<Value = Reference> {
    prop_oneof![
        6 => (0..CUSTOMERS, 0..MESSAGES).prop_map(|(by, mid)| Reference::Posted(by, mid)),
        2 => (0..CUSTOMERS, 0..MESSAGES).prop_map(|(to, mid)| Reference::Echoed(to, mid)),
        1 => Just(Reference::Unknown),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let maybe = || prop::option::weighted(0.7, reference());
    prop_oneof![
        8 => (0..MESSAGES, maybe(), any::<bool>())
            .prop_map(|(mid, to, is_odd)| Event::Says { mid, to, is_odd }),
        3 => (0..MESSAGES, 1..4_usize).prop_map(|(mid, count)| Event::Edits { mid, count }),
        1 => (0..MESSAGES).prop_map(|mid| Event::Deletes { mid }),
        2 => (reference(), any::<bool>())
            .prop_map(|(to, is_undone)| Event::Reacts { to, is_undone }),
        2 => reference().prop_map(|to| Event::Presses { to }),
        2 => (0..MESSAGES, maybe()).prop_map(|(mid, to)| Event::IsEchoed { mid, to }),
        1 => reference().prop_map(|to| Event::Reads { to }),
    ]
}

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let step = prop_oneof![
        20 => (event(), any::<bool>()).prop_map(|(event, twice)| Step::Event(event, twice)),
        2 => Just(Step::Resolve),
        2 => any::<bool>().prop_map(Step::Block),
        1 => Just(Step::Remove),
        1 => any::<prop::sample::Index>().prop_map(Step::DeleteMessage),
    ];
    prop::collection::vec((0..CUSTOMERS, step), STEPS)
}

/// A test case with the unique words of its events.
struct Case {
    stage: PageStage,
    number: usize,
    count: usize,
    /// Customer and message id of each word. Words of one message replace each other.
    words: BTreeMap<String, (usize, String)>,
    /// Deleted messages.
    deleted: BTreeSet<String>,
}

impl Case {
    fn customer(&self, number: usize) -> String {
        format!("{}{number}77", self.number + 10)
    }

    fn mid(&self, reference: Reference) -> String {
        match reference {
            Reference::Posted(by, mid) => format!("m_{}_{by}_{mid}", self.number),
            Reference::Echoed(to, mid) => format!("e_{}_{to}_{mid}", self.number),
            Reference::Unknown => "m_unknown".to_owned(),
        }
    }

    /// Returns a new word that no other event contains.
    fn word(&mut self, of: usize, mid: &str) -> String {
        self.count += 1;
        let word = format!("w{}x{}w", self.number, self.count);
        self.words.insert(word.clone(), (of, mid.to_owned()));
        word
    }

    fn message(&mut self, of: usize, mid: Reference, to: Option<Reference>) -> Value {
        let mid = self.mid(mid);
        let mut message = json!({"text": self.word(of, &mid), "mid": mid});
        if let Some(to) = to {
            message["reply_to"] = json!({"mid": self.mid(to)});
        }
        message
    }

    fn element(&mut self, of: usize, event: Event) -> Value {
        let customer = self.customer(of);
        let what = match event {
            Event::IsEchoed { mid, to } => {
                let message = self.message(of, Reference::Echoed(of, mid), to);
                return self.stage.echo(&customer, message);
            }
            Event::Says { mid, to, is_odd } => {
                let mut message = self.message(of, Reference::Posted(of, mid), to);
                if is_odd {
                    message["attachments"] = json!([{"type": "poll", "payload": {}}]);
                }
                json!({"message": message})
            }
            Event::Edits { mid, count } => {
                let mid = self.mid(Reference::Posted(of, mid));
                let word = self.word(of, &mid);
                json!({"message_edit": {"mid": mid, "text": word, "num_edit": count}})
            }
            Event::Deletes { mid } => {
                let mid = self.mid(Reference::Posted(of, mid));
                self.deleted.insert(mid.clone());
                json!({"message": {"mid": mid, "is_deleted": true}})
            }
            Event::Reacts { to, is_undone: true } => {
                json!({"reaction": {"mid": self.mid(to), "action": "unreact"}})
            }
            Event::Reacts { to, .. } => {
                let word = self.word(of, "");
                json!({"reaction": {"mid": self.mid(to), "action": "react", "emoji": word}})
            }
            Event::Presses { to } => {
                let title = self.word(of, "");
                let mid = format!("press_{title}");
                let payload = format!("confab:{}:0", self.mid(to).len());
                json!({"postback": {"title": title, "payload": payload, "mid": mid}})
            }
            Event::Reads { to } => json!({"delivery": {"mids": [self.mid(to)]}}),
        };
        self.stage.by(&customer, what)
    }

    async fn step(&mut self, of: usize, step: Step) {
        let office = &self.stage.office;
        let room = self.rooms(of).await.pop();
        match (step, room) {
            (Step::Event(event, is_twice), _) => {
                let element = self.element(of, event);
                for _ in 0..=usize::from(is_twice) {
                    let elements = std::slice::from_ref(&element);
                    assert_eq!(self.stage.post_webhook(elements).await.status, 200);
                }
            }
            (Step::Resolve, Some(room)) => {
                let path = "/api/v1/admin/service/mark_as_resolved";
                office.post(path, json!({"room_id": room})).await;
            }
            (Step::Block(is_blocked), Some(room)) => {
                let body = json!({"room_id": room, "is_blocked": is_blocked});
                office.post("/api/v1/customer/block", body).await.data();
            }
            (Step::Remove, Some(room)) => {
                let user = format!("fb-{}", self.customer(of));
                let body = json!({"room_id": room, "user_ids": [user]});
                self.stage.server.post("remove_room_participants", body).await;
            }
            (Step::DeleteMessage(index), Some(room)) => {
                let all = self.stage.conversation(&room).await;
                if let Some(message) = (!all.is_empty()).then(|| index.get(&all)) {
                    let said = message.to_string();
                    let mine = self.words.iter().filter(|(word, _)| said.contains(*word));
                    self.deleted.extend(mine.map(|(_, (_, mid))| mid.clone()));
                    self.stage.server.delete_messages(&[unique_id(message)]).await;
                }
            }
            (_, None) => {}
        }
    }

    /// Returns the rooms of a customer, newest last.
    async fn rooms(&self, of: usize) -> Vec<String> {
        let customer = self.customer(of);
        let query = [("text", customer.as_str()), ("limit", "100")];
        let listed = self.stage.office.get("/api/v2/customer_rooms", &query).await.json();
        let rooms = items(&listed["data"]["customer_rooms"]).iter();
        let mut rooms: Vec<_> = rooms.map(|it| text(&it["room_id"]).to_owned()).collect();
        rooms.sort_by_key(|room| room.parse::<i64>().expect("an id"));
        rooms
    }

    /// Returns the bodies of the failed events.
    async fn given_up(&self) -> String {
        let deliveries = self.stage.deliveries(EventKind::ChannelEvent).await;
        let mut bodies = String::new();
        for failed in deliveries.iter().filter(|it| it["standing"] == "failed") {
            let path = format!("/api/v2/webhooks/deliveries/{}", failed["id"]);
            let shown = self.stage.office.get(&path, &[]).await.data();
            bodies.push_str(text(&shown["delivery"]["body"]));
        }
        bodies
    }

    /// Checks that every word is found, and only in rooms of its customer.
    async fn check(&self) -> Result<(), String> {
        let given_up = self.given_up().await;
        let mut said = String::new();
        for of in 0..CUSTOMERS {
            for room in self.rooms(of).await {
                for message in self.stage.conversation(&room).await {
                    let all = message.to_string();
                    for (word, (by, _)) in &self.words {
                        if *by != of && all.contains(word) {
                            return Err(format!("{word} of {by} is shown to {of}: {all}"));
                        }
                    }
                    said.push_str(&own_words(&message));
                }
            }
        }
        let is_seen = |word: &String| said.contains(word) || given_up.contains(word);
        for (word, (_, mid)) in &self.words {
            let replaces =
                |(other, (_, of)): (&String, &(usize, String))| of == mid && is_seen(other);
            let is_replaced = !mid.is_empty() && self.words.iter().any(replaces);
            if !is_seen(word) && !is_replaced && !self.deleted.contains(mid) {
                return Err(format!("{word} of {mid} is lost"));
            }
        }
        Ok(())
    }
}

/// Returns a message's own text, without quotes and replies.
fn own_words(message: &Value) -> String {
    let own = text(&message["message"]).lines().filter(|line| !line.starts_with("> "));
    let emoji = &message["payload"]["content"]["emoji"];
    own.chain(emoji.as_str()).map(|line| format!("{line}\n")).collect()
}

#[tokio::test]
async fn every_customer_event_becomes_a_message_or_a_failed_delivery() {
    let mut runner = TestRunner::new(Config::default());
    for number in 0..CASES {
        let steps = steps().new_tree(&mut runner).expect("steps").current();
        // A new server per case, so that few deliveries are scanned.
        let stage = PageStage::start(FB).await;
        let is_sessional = json!({"is_sessional": number % 2 == 0});
        stage.office.post("/api/v1/admin/service/set_sessional", is_sessional).await.data();
        let (words, deleted) = (BTreeMap::new(), BTreeSet::new());
        let mut case = Case { stage, number, count: 0, words, deleted };
        for (of, step) in &steps {
            case.step(*of, *step).await;
        }
        case.stage.wait_until_delivered().await;
        let checked = case.check().await;
        assert_eq!(checked, Ok(()), "after {steps:#?}");
    }
}
