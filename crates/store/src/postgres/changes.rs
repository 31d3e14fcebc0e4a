//! Writing what the decisions of a commit have changed, and committing it: one round trip.

use std::collections::HashMap;
use std::sync::Arc;

use confab_domain::decision::change::{
    Change, MessageChange, NewUser, RoomChange, UserChange, WebhookChange,
};
use confab_domain::ids::{AppId, EndpointId, RoomId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::{Message, Said};
use confab_domain::people::user::User;
use confab_domain::rooms::room::{LastMessage, Room};
use confab_domain::webhooks::endpoint::{Endpoint, Failing};
use tokio_postgres::Error;

use super::connection::{Connection, Params};
use super::deliveries::{Deliveries, Recorded};
use super::node::Node;
use super::pipeline::Pipeline;
use super::values;
use crate::secrets::sealer::{Place, Sealer, token_hash};
use crate::sql::Ask;
use crate::{clients, omnichannel, statements as sql};

/// Everything that one commit writes.
#[derive(Default)]
pub(super) struct Changes {
    messages: Vec<(AppId, Arc<Said>)>,
    deliveries: Deliveries,
    /// In the order they were decided.
    others: Vec<Change>,
    /// Of the omnichannel half, in the order they were decided.
    asks: Vec<Ask>,
    last: HashMap<RoomId, LastMessage>,
    own_posts: HashMap<(RoomId, UserKey), u64>,
    newest_event: i64,
}

impl Changes {
    pub(super) fn add(&mut self, app: AppId, change: Change, sealer: &Sealer) {
        let said = match change {
            Change::Message(MessageChange::Insert { said, .. }) => said,
            Change::Message(MessageChange::InsertEvent(event)) => {
                self.newest_event = self.newest_event.max(event.id.0);
                return self.asks.extend(clients::changes::writes(&event));
            }
            Change::Message(MessageChange::ForgetEvents { before }) => {
                return self.asks.push(clients::changes::forget(before));
            }
            Change::Webhook(WebhookChange::InsertDelivery(mut delivery)) => {
                if delivery.kind.holds_key() {
                    let place = Place::DeliveryBody(delivery.id.0);
                    delivery.body = sealer.seal(place, &delivery.body).into();
                }
                return self.deliveries.made.push(delivery);
            }
            Change::Webhook(WebhookChange::RecordAttempt { delivery, lane, attempt, progress }) => {
                let recorded = Recorded { delivery, lane, attempt, progress };
                return self.deliveries.recorded.push(recorded);
            }
            Change::Webhook(WebhookChange::Replay { delivery, lane, at, .. }) => {
                return self.deliveries.replayed.push((lane, delivery, at));
            }
            Change::User(
                UserChange::Insert(_) | UserChange::Update { .. } | UserChange::SetToken { .. },
            )
            | Change::Message(MessageChange::Delete { .. })
            | Change::Room(_)
            | Change::Webhook(
                WebhookChange::PutEndpoint(_)
                | WebhookChange::SetPaused { .. }
                | WebhookChange::SetHealth { .. },
            ) => return self.others.push(change),
            Change::User(change) => {
                return self.asks.extend(clients::people::user(app, &change));
            }
            Change::Agent(change) => {
                return self.asks.extend(omnichannel::changes::agent(&change));
            }
            Change::Service(change) => {
                return self.asks.extend(omnichannel::changes::service(app, &change));
            }
            Change::Channel(change) => {
                return self.asks.extend(omnichannel::changes::channel(&change, sealer));
            }
            Change::File(change) => return self.asks.extend(clients::people::file(&change)),
        };
        let message = &said.message;
        let last = LastMessage { id: message.id, number: message.number };
        self.last.insert(message.room, last);
        self.own_posts.insert((message.room, message.sender), message.number);
        self.messages.push((app, said));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
            && self.deliveries.is_empty()
            && self.others.is_empty()
            && self.asks.is_empty()
    }

    /// The newest message's, event's or delivery's id, or 0.
    pub(super) fn newest_id(&self) -> i64 {
        let message = self.messages.iter().map(|(_, said)| said.message.id.0).max();
        message.unwrap_or(0).max(self.newest_event).max(self.deliveries.newest())
    }

    /// Sends everything and the COMMIT. Messages come first, because another decision may delete
    /// one of them, and what rooms and participants know of them last, when those are there.
    pub(super) async fn write_and_commit(
        &self,
        db: &Connection,
        node: &Node,
        newest_id: i64,
        sealer: &Sealer,
    ) -> Result<(), Error> {
        let mut writes = Pipeline::default();
        if !self.messages.is_empty() {
            writes.add(self.insert_messages(db));
        }
        if self.messages.iter().any(|(_, said)| said.message.client_unique_id.is_some()) {
            writes.add(self.insert_client_ids(db));
        }
        for change in &self.others {
            add_change(&mut writes, db, change, sealer);
        }
        for ask in &self.asks {
            writes.add(values::execute(db, ask));
        }
        self.deliveries.write(&mut writes, db);
        if !self.messages.is_empty() {
            writes.add(self.set_last_messages(db));
            writes.add(self.set_read_numbers(db));
        }
        if self.newest_id() > 0 {
            writes.add(node.note(db, newest_id));
        }
        writes.add(async { db.run("COMMIT").await.map(|()| 0) });
        writes.answers().await.map(drop)
    }

    async fn insert_messages(&self, db: &Connection) -> Result<u64, Error> {
        let messages = || self.messages.iter().map(|(_, said)| &said.message);
        let ids: Vec<_> = messages().map(|message| message.id.0).collect();
        let rooms: Vec<_> = messages().map(|message| message.room.0).collect();
        let numbers: Vec<_> = messages().map(|message| message.number as i64).collect();
        let before: Vec<_> = messages().map(|message| message.before.map(|id| id.0)).collect();
        let senders: Vec<_> = messages().map(|message| message.sender.0).collect();
        let times: Vec<_> = messages().map(|message| message.posted_at.0).collect();
        let kinds: Vec<_> = messages().map(|message| message.kind.as_str()).collect();
        let texts: Vec<_> = messages().map(|message| message.text.as_str()).collect();
        let payloads: Vec<_> = messages().map(|message| json(&message.payload)).collect();
        let extras: Vec<_> = messages().map(|message| json(&message.extras)).collect();
        let unique_ids: Vec<_> = messages().map(client_unique_id).collect();
        db.execute(
            sql::POSTGRES_INSERT_MESSAGES.postgres(),
            &[
                &ids,
                &rooms,
                &numbers,
                &before,
                &senders,
                &times,
                &kinds,
                &texts,
                &payloads,
                &extras,
                &unique_ids,
            ],
        )
        .await
    }

    async fn insert_client_ids(&self, db: &Connection) -> Result<u64, Error> {
        let messages = self.messages.iter().map(|(app, said)| (app, &said.message));
        let mut given: Vec<_> = messages.filter(|(_, it)| it.client_unique_id.is_some()).collect();
        // In one order on all nodes, so that two of them do not wait for each other.
        given.sort_by_key(|(_, message)| client_unique_id(message));
        let unique_ids: Vec<_> = given.iter().map(|(_, it)| client_unique_id(it)).collect();
        let apps: Vec<_> = given.iter().map(|(app, _)| app.0).collect();
        let rooms: Vec<_> = given.iter().map(|(_, message)| message.room.0).collect();
        let ids: Vec<_> = given.iter().map(|(_, message)| message.id.0).collect();
        let statement = sql::POSTGRES_INSERT_CLIENT_IDS.postgres();
        db.execute(statement, &[&unique_ids, &apps, &rooms, &ids]).await
    }

    async fn set_last_messages(&self, db: &Connection) -> Result<u64, Error> {
        let rooms: Vec<_> = self.last.keys().map(|room| room.0).collect();
        let ids: Vec<_> = self.last.values().map(|last| last.id.0).collect();
        let numbers: Vec<_> = self.last.values().map(|last| last.number as i64).collect();
        let statement = sql::POSTGRES_SET_LAST_MESSAGES.postgres();
        db.execute(statement, &[&rooms, &ids, &numbers]).await
    }

    async fn set_read_numbers(&self, db: &Connection) -> Result<u64, Error> {
        let rooms: Vec<_> = self.own_posts.keys().map(|(room, _)| room.0).collect();
        let users: Vec<_> = self.own_posts.keys().map(|(_, user)| user.0).collect();
        let numbers: Vec<_> = self.own_posts.values().map(|number| *number as i64).collect();
        let statement = sql::POSTGRES_SET_READ_NUMBERS.postgres();
        db.execute(statement, &[&rooms, &users, &numbers]).await
    }
}

fn add_change<'a>(
    writes: &mut Pipeline<'a, u64>,
    db: &'a Connection,
    change: &'a Change,
    sealer: &'a Sealer,
) {
    match change {
        // Written together with the others.
        Change::Message(MessageChange::Insert { .. })
        | Change::Message(MessageChange::InsertEvent(_))
        | Change::Message(MessageChange::ForgetEvents { .. })
        | Change::Webhook(WebhookChange::InsertDelivery(_))
        | Change::Webhook(WebhookChange::RecordAttempt { .. })
        | Change::Webhook(WebhookChange::Replay { .. })
        | Change::Agent(_)
        | Change::Service(_)
        | Change::Channel(_)
        | Change::File(_) => {}
        Change::Message(MessageChange::Delete { room, number, id }) => {
            writes
                .add(async { db.execute(sql::EMPTY_MESSAGE.postgres(), &[&room.0, &id.0]).await });
            writes.add(async {
                let number = *number as i64;
                db.execute(sql::INSERT_DELETION.postgres(), &[&room.0, &number]).await
            });
        }
        Change::User(UserChange::Insert(new)) => writes.add(insert_user(db, new, sealer)),
        Change::User(UserChange::Update { user, password_hash }) => {
            writes.add(update_user(db, user, password_hash));
        }
        Change::User(UserChange::SetToken { user, token }) => {
            writes.add(async {
                let sealed = sealer.seal(Place::UserToken(user.0), token);
                let row: Params<'_> = &[&user.0, &token_hash(token), &sealed];
                db.execute(sql::SET_TOKEN.postgres(), row).await
            });
        }
        // What users keep is written together with the others, too.
        Change::User(_) => {}
        Change::Room(RoomChange::Insert(room)) => {
            writes.add(insert_room(db, room));
            writes.add(async {
                let name = room.unique_id.as_str();
                let statement = sql::POSTGRES_INSERT_ROOM_NAME.postgres();
                db.execute(statement, &[&name, &room.app.0, &room.id.0]).await
            });
        }
        Change::Room(RoomChange::Update(room)) => writes.add(update_room(db, room)),
        Change::Room(RoomChange::AddParticipant { room, user, read_number, at }) => {
            writes.add(async {
                let read_number = *read_number as i64;
                let statement = sql::ADD_PARTICIPANT.postgres();
                db.execute(statement, &[&room.0, &user.0, &read_number, &at.0]).await
            });
            writes.add(change_audience(db, *room));
        }
        Change::Room(RoomChange::RemoveParticipant { room, user }) => {
            writes.add(async {
                db.execute(sql::REMOVE_PARTICIPANT.postgres(), &[&room.0, &user.0]).await
            });
            writes.add(change_audience(db, *room));
        }
        Change::Webhook(WebhookChange::PutEndpoint(endpoint)) => {
            writes.add(put_endpoint(db, endpoint))
        }
        Change::Webhook(WebhookChange::SetPaused { endpoint, is_paused }) => writes.add(async {
            let is_paused = i16::from(*is_paused);
            db.execute(sql::SET_PAUSED.postgres(), &[&endpoint.0, &is_paused]).await
        }),
        Change::Webhook(WebhookChange::SetHealth { endpoint, failing, is_enabled }) => {
            writes.add(set_health(db, *endpoint, *failing, *is_enabled));
        }
    }
}

async fn change_audience(db: &Connection, room: RoomId) -> Result<u64, Error> {
    db.execute(sql::CHANGE_AUDIENCE.postgres(), &[&room.0]).await
}

async fn put_endpoint(db: &Connection, endpoint: &Endpoint) -> Result<u64, Error> {
    let Endpoint { id, app, kind, name, url, is_enabled, is_paused, failing, .. } = endpoint;
    let Endpoint { policy, created_at, updated_at, .. } = endpoint;
    db.execute(
        sql::PUT_ENDPOINT.postgres(),
        &[
            &id.0,
            &app.0,
            &kind.as_str(),
            name,
            url,
            &i16::from(*is_enabled),
            &i16::from(*is_paused),
            &failing.map(|failing| failing.since.0),
            &failing.map_or(0, |failing| i64::from(failing.told)),
            &i64::from(policy.timeout_ms),
            &i64::from(policy.at_once_max),
            &policy.per_second_max.map(i64::from),
            &i64::from(policy.block_s),
            &created_at.0,
            &updated_at.0,
        ],
    )
    .await
}

async fn set_health(
    db: &Connection,
    endpoint: EndpointId,
    failing: Option<Failing>,
    is_enabled: bool,
) -> Result<u64, Error> {
    let (since, told) = (failing.map(|it| it.since.0), failing.map_or(0, |it| i64::from(it.told)));
    let params: Params<'_> = &[&endpoint.0, &since, &told, &i16::from(is_enabled)];
    db.execute(sql::SET_HEALTH.postgres(), params).await
}

pub(super) async fn insert_user(
    db: &Connection,
    new: &NewUser,
    sealer: &Sealer,
) -> Result<u64, Error> {
    let NewUser { user, token, password_hash } = new;
    db.execute(
        sql::INSERT_USER.postgres(),
        &[
            &user.key.0,
            &user.app.0,
            &user.user_id.as_str(),
            &user.username,
            &user.avatar_url,
            &json(&user.extras),
            &i16::from(user.is_active),
            &user.created_at.0,
            &user.updated_at.0,
            &token_hash(token),
            password_hash,
            &sealer.seal(Place::UserToken(user.key.0), token),
            &user.realm.number(),
        ],
    )
    .await
}

async fn update_user(
    db: &Connection,
    user: &User,
    password_hash: &Option<String>,
) -> Result<u64, Error> {
    db.execute(
        sql::UPDATE_USER.postgres(),
        &[
            &user.key.0,
            &user.username,
            &user.avatar_url,
            &json(&user.extras),
            &i16::from(user.is_active),
            &user.updated_at.0,
            password_hash,
        ],
    )
    .await
}

async fn insert_room(db: &Connection, room: &Room) -> Result<u64, Error> {
    db.execute(
        sql::INSERT_ROOM.postgres(),
        &[
            &room.id.0,
            &room.app.0,
            &room.unique_id.as_str(),
            &room.kind.as_str(),
            &room.name,
            &room.avatar_url,
            &room.options,
            &room.created_at.0,
            &room.updated_at.0,
            &room.customer.map(|customer| customer.0),
        ],
    )
    .await
}

async fn update_room(db: &Connection, room: &Room) -> Result<u64, Error> {
    let values: [&(dyn tokio_postgres::types::ToSql + Sync); 5] =
        [&room.id.0, &room.name, &room.avatar_url, &room.options, &room.updated_at.0];
    db.execute(sql::UPDATE_ROOM.postgres(), &values).await
}

fn json(text: &Option<JsonText>) -> Option<&str> {
    text.as_ref().map(JsonText::as_str)
}

fn client_unique_id(message: &Message) -> Option<&str> {
    message.client_unique_id.as_ref().map(|id| id.as_str())
}
