//! Applying the changes of a decision, within the writer's transaction.

use confab_domain::decision::{Change, NewUser};
use confab_domain::delivery::{Attempt, Delivery, ErrorClass, Lane, Progress};
use confab_domain::endpoint::Endpoint;
use confab_domain::ids::{AppId, DeliveryId};
use confab_domain::json_text::JsonText;
use confab_domain::message::Message;
use confab_domain::people::User;
use confab_domain::room::Room;
use rusqlite::{Connection, Result, params};

use crate::statements as sql;

pub(super) fn apply(db: &Connection, app: AppId, change: &Change) -> Result<()> {
    match change {
        Change::InsertMessage(message) => insert_message(db, app, message),
        Change::DeleteMessage { room, number, id } => {
            db.prepare_cached(sql::EMPTY_MESSAGE.sqlite())?.execute([room.0, id.0])?;
            let deletion = [room.0, *number as i64];
            db.prepare_cached(sql::INSERT_DELETION.sqlite())?.execute(deletion).map(drop)
        }
        Change::InsertUser(new) => insert_user(db, new),
        Change::UpdateUser { user, password_hash } => update_user(db, user, password_hash),
        Change::SetToken { user, token } => {
            db.prepare_cached(sql::SET_TOKEN.sqlite())?.execute(params![user.0, token]).map(drop)
        }
        Change::InsertRoom(room) => insert_room(db, room),
        Change::UpdateRoom(room) => db
            .prepare_cached(sql::UPDATE_ROOM.sqlite())?
            .execute(params![
                room.id.0,
                room.name,
                room.avatar_url,
                room.options,
                room.updated_at.0
            ])
            .map(drop),
        Change::AddParticipant { room, user, read_number, at } => db
            .prepare_cached(sql::ADD_PARTICIPANT.sqlite())?
            .execute([room.0, user.0, *read_number as i64, at.0])
            .map(drop),
        Change::RemoveParticipant { room, user } => {
            db.prepare_cached(sql::REMOVE_PARTICIPANT.sqlite())?.execute([room.0, user.0]).map(drop)
        }
        Change::PutEndpoint(endpoint) => put_endpoint(db, endpoint),
        Change::InsertDelivery(delivery) => insert_delivery(db, delivery),
        Change::RecordAttempt { delivery, lane, attempt, progress } => {
            insert_attempt(db, *delivery, *lane, attempt)?;
            update_delivery(db, *delivery, *lane, progress)
        }
    }
}

fn put_endpoint(db: &Connection, endpoint: &Endpoint) -> Result<()> {
    let Endpoint { id, app, kind, url, is_enabled, manners, created_at, updated_at } = endpoint;
    db.prepare_cached(sql::PUT_ENDPOINT.sqlite())?
        .execute(params![
            id.0,
            app.0,
            kind.as_str(),
            url,
            is_enabled,
            manners.timeout_ms,
            manners.at_once_max,
            manners.per_second_max,
            manners.block_s,
            created_at.0,
            updated_at.0,
        ])
        .map(drop)
}

fn insert_delivery(db: &Connection, delivery: &Delivery) -> Result<()> {
    let Delivery { id, app, endpoint, kind, lane, sequence, created_at, body } = delivery;
    let sequence = *sequence as i64;
    db.prepare_cached(sql::SET_SEQUENCE.sqlite())?.execute([lane.0, endpoint.0, sequence])?;
    db.prepare_cached(sql::INSERT_DELIVERY.sqlite())?
        .execute(params![
            lane.bucket(),
            id.0,
            app.0,
            endpoint.0,
            kind.as_str(),
            lane.0,
            sequence,
            created_at.0,
            body,
        ])
        .map(drop)
}

fn insert_attempt(
    db: &Connection,
    delivery: DeliveryId,
    lane: Lane,
    attempt: &Attempt,
) -> Result<()> {
    let [name, connect, tls, head, body] = attempt.phases_us;
    db.prepare_cached(sql::INSERT_ATTEMPT.sqlite())?
        .execute(params![
            lane.bucket(),
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

fn update_delivery(
    db: &Connection,
    delivery: DeliveryId,
    lane: Lane,
    progress: &Progress,
) -> Result<()> {
    let Progress { standing, attempts, due_at, failed_at } = progress;
    let failed_at = failed_at.map(|at| at.0);
    let row = params![lane.bucket(), delivery.0, standing.number(), attempts, due_at.0, failed_at];
    db.prepare_cached(sql::UPDATE_DELIVERY.sqlite())?.execute(row).map(drop)
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

pub(super) fn insert_user(db: &Connection, new: &NewUser) -> Result<()> {
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
            token,
            password_hash,
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
        ])
        .map(drop)
}
