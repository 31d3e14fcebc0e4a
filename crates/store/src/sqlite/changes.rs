//! Applying the changes of a decision, within the writer's transaction.

use confab_domain::decision::change::{
    Change, MessageChange, NewUser, RoomChange, UserChange, WebhookChange,
};
use confab_domain::ids::{AppId, DeliveryId};
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::messages::message::Message;
use confab_domain::people::user::User;
use confab_domain::rooms::room::Room;
use confab_domain::webhooks::delivery::{Attempt, Delivery, ErrorClass, Progress};
use confab_domain::webhooks::endpoint::Endpoint;
use rusqlite::{Connection, Result, params};

use super::values;
use crate::secrets::sealer::{Place, Sealer, token_hash};
use crate::sql::Ask;
use crate::{clients, omnichannel, statements as sql};

pub(super) fn apply(db: &Connection, app: AppId, change: &Change, sealer: &Sealer) -> Result<()> {
    match change {
        Change::Message(MessageChange::Insert { said, .. }) => {
            insert_message(db, app, &said.message)
        }
        Change::Message(MessageChange::InsertEvent(event)) => {
            execute_all(db, &clients::changes::writes(event))
        }
        Change::Message(MessageChange::ForgetEvents { before }) => {
            values::execute(db, &clients::changes::forget(*before))
        }
        Change::Message(MessageChange::Delete { room, number, id }) => {
            db.prepare_cached(sql::EMPTY_MESSAGE.sqlite())?.execute([room.0, id.0])?;
            let deletion = [room.0, *number as i64];
            db.prepare_cached(sql::INSERT_DELETION.sqlite())?.execute(deletion).map(drop)
        }
        Change::User(UserChange::Insert(new)) => insert_user(db, new, sealer),
        Change::User(UserChange::Update { user, password_hash }) => {
            update_user(db, user, password_hash)
        }
        Change::User(UserChange::SetToken { user, token }) => {
            let sealed = sealer.seal(Place::UserToken(user.0), token);
            let row = params![user.0, token_hash(token), sealed];
            db.prepare_cached(sql::SET_TOKEN.sqlite())?.execute(row).map(drop)
        }
        Change::Room(RoomChange::Insert(room)) => insert_room(db, room),
        Change::Room(RoomChange::Update(room)) => db
            .prepare_cached(sql::UPDATE_ROOM.sqlite())?
            .execute(params![
                room.id.0,
                room.name,
                room.avatar_url,
                room.options,
                room.updated_at.0
            ])
            .map(drop),
        Change::Room(RoomChange::AddParticipant { room, user, read_number, at }) => {
            db.prepare_cached(sql::ADD_PARTICIPANT.sqlite())?.execute([
                room.0,
                user.0,
                *read_number as i64,
                at.0,
            ])?;
            db.prepare_cached(sql::CHANGE_AUDIENCE.sqlite())?.execute([room.0]).map(drop)
        }
        Change::Room(RoomChange::RemoveParticipant { room, user }) => {
            db.prepare_cached(sql::REMOVE_PARTICIPANT.sqlite())?.execute([room.0, user.0])?;
            db.prepare_cached(sql::CHANGE_AUDIENCE.sqlite())?.execute([room.0]).map(drop)
        }
        Change::Webhook(WebhookChange::PutEndpoint(endpoint)) => put_endpoint(db, endpoint),
        Change::Webhook(WebhookChange::InsertDelivery(delivery)) => {
            insert_delivery(db, delivery, sealer)
        }
        Change::Webhook(WebhookChange::SetPaused { endpoint, is_paused }) => {
            let row = params![endpoint.0, is_paused];
            db.prepare_cached(sql::SET_PAUSED.sqlite())?.execute(row).map(drop)
        }
        Change::Webhook(WebhookChange::SetHealth { endpoint, failing, is_enabled }) => {
            let (since, told) = (failing.map(|it| it.since.0), failing.map_or(0, |it| it.told));
            let row = params![endpoint.0, since, told, is_enabled];
            db.prepare_cached(sql::SET_HEALTH.sqlite())?.execute(row).map(drop)
        }
        Change::Webhook(WebhookChange::RecordAttempt { delivery, attempt, progress, .. }) => {
            insert_attempt(db, *delivery, attempt)?;
            update_delivery(db, *delivery, progress)
        }
        Change::Webhook(WebhookChange::Replay { delivery, at, mark, .. }) => {
            let row = [delivery.0, at.0, *mark];
            db.prepare_cached(sql::SQLITE_REPLAY.sqlite())?.execute(row).map(drop)
        }
        Change::User(change) => execute_all(db, &clients::people::user(app, change)),
        Change::Agent(change) => execute_all(db, &omnichannel::changes::agent(change)),
        Change::Service(change) => execute_all(db, &omnichannel::changes::service(app, change)),
        Change::Channel(change) => execute_all(db, &omnichannel::changes::channel(change, sealer)),
        Change::File(change) => execute_all(db, &clients::people::file(change)),
    }
}

fn execute_all(db: &Connection, asks: &[Ask]) -> Result<()> {
    asks.iter().try_for_each(|ask| values::execute(db, ask))
}

fn put_endpoint(db: &Connection, endpoint: &Endpoint) -> Result<()> {
    let Endpoint { id, app, kind, name, url, is_enabled, is_paused, failing, .. } = endpoint;
    let Endpoint { policy, created_at, updated_at, .. } = endpoint;
    db.prepare_cached(sql::PUT_ENDPOINT.sqlite())?
        .execute(params![
            id.0,
            app.0,
            kind.as_str(),
            name,
            url,
            is_enabled,
            is_paused,
            failing.map(|failing| failing.since.0),
            failing.map_or(0, |failing| failing.told),
            policy.timeout_ms,
            policy.at_once_max,
            policy.per_second_max,
            policy.block_s,
            created_at.0,
            updated_at.0,
        ])
        .map(drop)
}

fn insert_delivery(db: &Connection, delivery: &Delivery, sealer: &Sealer) -> Result<()> {
    let Delivery { id, app, endpoint, kind, lane, sequence, created_at, depth, body } = delivery;
    let sequence = *sequence as i64;
    let sealed = kind.holds_key().then(|| sealer.seal(Place::DeliveryBody(id.0), body));
    if kind.is_counted() {
        let far = [lane.0, endpoint.0, sequence];
        db.prepare_cached(sql::SQLITE_SET_SEQUENCE.sqlite())?.execute(far)?;
    }
    db.prepare_cached(sql::SQLITE_INSERT_DELIVERY.sqlite())?
        .execute(params![
            id.0,
            app.0,
            endpoint.0,
            kind.as_str(),
            lane.0,
            sequence,
            created_at.0,
            depth,
            sealed.as_deref().unwrap_or(body),
        ])
        .map(drop)
}

fn insert_attempt(db: &Connection, delivery: DeliveryId, attempt: &Attempt) -> Result<()> {
    let [name, connect, tls, head, body] = attempt.phases_us;
    db.prepare_cached(sql::SQLITE_INSERT_ATTEMPT.sqlite())?
        .execute(params![
            delivery.0,
            attempt.number,
            attempt.at.0,
            attempt.error.map(ErrorClass::as_str),
            attempt.status,
            attempt.peer,
            name,
            connect,
            tls,
            head,
            body,
            attempt.answer,
        ])
        .map(drop)
}

fn update_delivery(db: &Connection, delivery: DeliveryId, progress: &Progress) -> Result<()> {
    let Progress { standing, attempts, tries, since, due_at, failed_at } = progress;
    let (standing, failed_at) = (standing.number(), failed_at.map(|at| at.0));
    let row = params![delivery.0, standing, attempts, tries, since.0, due_at.0, failed_at];
    db.prepare_cached(sql::SQLITE_UPDATE_DELIVERY.sqlite())?.execute(row).map(drop)
}

/// Forgets the oldest deliveries made before this one, as many as one commit should, but nothing
/// that waits; gives how many.
pub(super) fn forget_deliveries(db: &Connection, before: DeliveryId) -> Result<usize> {
    let some = [before.0, limits::FORGOTTEN_PER_COMMIT as i64];
    let mut oldest = db.prepare_cached(sql::SQLITE_FORGET_SOME.sqlite())?;
    let last: Option<i64> = oldest.query_row(some, |row| row.get(0))?;
    let Some(last) = last else { return Ok(0) };
    db.prepare_cached(sql::SQLITE_FORGET_ATTEMPTS.sqlite())?.execute([last])?;
    db.prepare_cached(sql::SQLITE_FORGET_DELIVERIES.sqlite())?.execute([last])
}

fn insert_message(db: &Connection, app: AppId, message: &Message) -> Result<()> {
    let client_id = message.client_unique_id.as_ref().map(|id| id.as_str());
    if let Some(unique_id) = client_id {
        let row = params![app.0, unique_id, message.id.0];
        db.prepare_cached(sql::SQLITE_INSERT_CLIENT_ID.sqlite())?.execute(row)?;
    }
    db.prepare_cached(sql::SQLITE_INSERT_MESSAGE.sqlite())?
        .execute(params![
            message.id.0,
            message.room.0,
            message.number as i64,
            message.before.map(|before| before.0),
            message.sender.0,
            message.kind.as_str(),
            message.text,
            message.payload.as_ref().map(JsonText::as_str),
            message.extras.as_ref().map(JsonText::as_str),
            client_id,
            message.posted_at.0,
        ])
        .map(drop)
}

pub(super) fn insert_user(db: &Connection, new: &NewUser, sealer: &Sealer) -> Result<()> {
    let NewUser { user, token, password_hash } = new;
    db.prepare_cached(sql::INSERT_USER.sqlite())?
        .execute(params![
            user.key.0,
            user.app.0,
            user.user_id.as_str(),
            user.username,
            user.avatar_url,
            user.extras.as_ref().map(JsonText::as_str),
            user.is_active,
            user.created_at.0,
            user.updated_at.0,
            token_hash(token),
            password_hash,
            sealer.seal(Place::UserToken(user.key.0), token),
            user.realm.number(),
        ])
        .map(drop)
}

fn update_user(db: &Connection, user: &User, password_hash: &Option<String>) -> Result<()> {
    db.prepare_cached(sql::UPDATE_USER.sqlite())?
        .execute(params![
            user.key.0,
            user.username,
            user.avatar_url,
            user.extras.as_ref().map(JsonText::as_str),
            user.is_active,
            user.updated_at.0,
            password_hash,
        ])
        .map(drop)
}

fn insert_room(db: &Connection, room: &Room) -> Result<()> {
    db.prepare_cached(sql::INSERT_ROOM.sqlite())?
        .execute(params![
            room.id.0,
            room.app.0,
            room.unique_id.as_str(),
            room.kind.as_str(),
            room.name,
            room.avatar_url,
            room.options,
            room.created_at.0,
            room.updated_at.0,
            room.customer.map(|customer| customer.0),
        ])
        .map(drop)
}
