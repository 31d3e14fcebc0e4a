//! From rows to domain values. The column orders are those of the statement texts.

use confab_domain::agents::agent::Agent;
use confab_domain::agents::role::Role;
use confab_domain::app::{App, AppCode, OtherKey};
use confab_domain::ids::{AgentId, AppId, DeliveryId, EndpointId, MessageId, RoomId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::Message;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::{Realm, User, UserId};
use confab_domain::push::push_facts::PushDevice;
use confab_domain::rooms::room::{Room, RoomKind, RoomUniqueId};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{
    Attempt, Delivery, ErrorClass, Lane, Listed, Pending, Progress, Standing,
};
use confab_domain::webhooks::endpoint::{DeliveryPolicy, Endpoint, Failing};
use confab_domain::webhooks::notice_kind::NoticeKind;
use rusqlite::types::{Type, ValueRef};
use rusqlite::{Error, Result, Row};

use crate::error::StoreError;
use crate::secrets::sealer::{Place, Sealer};

pub(super) fn app(row: &Row<'_>, sealer: &Sealer) -> Result<App> {
    let code: String = row.get(1)?;
    let until = row.get::<_, Option<i64>>(8)?.map(Timestamp);
    let key = Place::AppKey(&code);
    let other_key = match row.get_ref(7)? {
        ValueRef::Null => None,
        _ => Some(OtherKey::from_stored(opened(row, 7, sealer, key)?, until)),
    };
    Ok(App {
        id: AppId(row.get(0)?),
        code: AppCode::parse(&code).map_err(|_| unknown(1, "app code"))?,
        name: row.get(2)?,
        sdk_secret: opened(row, 3, sealer, Place::AppSecret(&code))?,
        secret_key: opened(row, 4, sealer, key)?,
        other_key,
        system_user: UserKey(row.get(5)?),
        created_at: Timestamp(row.get(6)?),
    })
}

/// A sealed text of a row.
pub(super) fn opened(
    row: &Row<'_>,
    column: usize,
    sealer: &Sealer,
    place: Place<'_>,
) -> Result<String> {
    let sealed = row.get_ref(column)?.as_str()?;
    sealer.open_text(place, sealed).map_err(|error| unopened(column, error))
}

/// The body of a delivery.
pub(super) fn body(row: &Row<'_>, column: usize, sealer: &Sealer, id: i64) -> Result<String> {
    sealer.open_body(id, row.get(column)?).map_err(|error| unopened(column, error))
}

fn unopened(column: usize, error: StoreError) -> Error {
    Error::FromSqlConversionFailure(column, Type::Text, error.source)
}

pub(super) fn dashboard_user(row: &Row<'_>) -> Result<Agent> {
    Ok(Agent {
        id: AgentId(row.get(0)?),
        app: AppId(row.get(1)?),
        email: row.get(2)?,
        name: row.get(3)?,
        role: Role::from_number(row.get(4)?).ok_or_else(|| unknown(4, "role"))?,
        created_at: Timestamp(row.get(5)?),
    })
}

pub(super) fn user(row: &Row<'_>) -> Result<User> {
    Ok(User {
        key: UserKey(row.get(0)?),
        app: AppId(row.get(1)?),
        user_id: UserId::from_stored(row.get(2)?),
        username: row.get(3)?,
        avatar_url: row.get(4)?,
        extras: json(row, 5)?,
        is_active: row.get(6)?,
        created_at: Timestamp(row.get(7)?),
        updated_at: Timestamp(row.get(8)?),
        realm: Realm::from_number(row.get(9)?),
    })
}

pub(super) fn room(row: &Row<'_>) -> Result<Room> {
    Ok(Room {
        id: RoomId(row.get(0)?),
        app: AppId(row.get(1)?),
        unique_id: RoomUniqueId::from_trusted(row.get(2)?),
        kind: room_kind(row, 3)?,
        name: row.get(4)?,
        avatar_url: row.get(5)?,
        options: row.get(6)?,
        created_at: Timestamp(row.get(7)?),
        updated_at: Timestamp(row.get(8)?),
        customer: row.get::<_, Option<i64>>(9)?.map(UserKey),
        audience: row.get(10)?,
    })
}

pub(super) fn room_kind(row: &Row<'_>, column: usize) -> Result<RoomKind> {
    let name = row.get_ref(column)?.as_str()?;
    RoomKind::parse(name).ok_or_else(|| unknown(column, "room kind"))
}

pub(super) fn message(row: &Row<'_>) -> Result<Message> {
    let kind = row.get_ref(5)?.as_str()?;
    let client_unique_id: Option<String> = row.get(9)?;
    Ok(Message {
        id: MessageId(row.get(0)?),
        room: RoomId(row.get(1)?),
        number: row.get::<_, i64>(2)? as u64,
        before: row.get::<_, Option<i64>>(3)?.map(MessageId),
        sender: UserKey(row.get(4)?),
        kind: MessageKind::parse(kind).ok_or_else(|| unknown(5, "message kind"))?,
        text: row.get(6)?,
        payload: json(row, 7)?,
        extras: json(row, 8)?,
        client_unique_id: client_unique_id.map(UniqueId::from_stored),
        posted_at: Timestamp(row.get(10)?),
        is_deleted: row.get(11)?,
    })
}

pub(super) fn device(row: &Row<'_>) -> Result<PushDevice> {
    Ok(PushDevice { user: UserKey(row.get(0)?), token: row.get(1)?, is_development: row.get(2)? })
}

pub(super) fn endpoint(row: &Row<'_>) -> Result<Endpoint> {
    let (since, told): (Option<i64>, u32) = (row.get(7)?, row.get(8)?);
    Ok(Endpoint {
        id: EndpointId(row.get(0)?),
        app: AppId(row.get(1)?),
        kind: notice_kind(row, 2)?,
        name: row.get(3)?,
        url: row.get(4)?,
        is_enabled: row.get(5)?,
        is_paused: row.get(6)?,
        failing: since.map(|since| Failing { since: Timestamp(since), told }),
        policy: DeliveryPolicy {
            timeout_ms: row.get(9)?,
            at_once_max: row.get(10)?,
            per_second_max: row.get(11)?,
            block_s: row.get(12)?,
        },
        created_at: Timestamp(row.get(13)?),
        updated_at: Timestamp(row.get(14)?),
    })
}

pub(super) fn pending(row: &Row<'_>) -> Result<Pending> {
    let progress = Progress {
        standing: Standing::from_number(row.get(6)?).ok_or_else(|| unknown(6, "standing"))?,
        attempts: row.get(7)?,
        tries: row.get(8)?,
        since: Timestamp(row.get(9)?),
        due_at: Timestamp(row.get(10)?),
        failed_at: row.get::<_, Option<i64>>(11)?.map(Timestamp),
    };
    Ok(Pending {
        id: DeliveryId(row.get(0)?),
        app: AppId(row.get(1)?),
        endpoint: EndpointId(row.get(2)?),
        lane: Lane(row.get(3)?),
        sequence: row.get::<_, i64>(4)? as u64,
        created_at: Timestamp(row.get(5)?),
        progress,
    })
}

pub(super) fn delivery(row: &Row<'_>, sealer: &Sealer) -> Result<(Delivery, Progress)> {
    let Pending { id, app, endpoint, lane, sequence, created_at, progress } = pending(row)?;
    let kind = notice_kind(row, 12)?;
    let (depth, body) = (row.get(13)?, body(row, 14, sealer, id.0)?.into());
    Ok((Delivery { id, app, endpoint, kind, lane, sequence, created_at, depth, body }, progress))
}

pub(super) fn listed(row: &Row<'_>) -> Result<Listed> {
    let (pending, kind) = (pending(row)?, notice_kind(row, 12)?);
    Ok(Listed { pending, kind, last_status: row.get(13)?, last_error: error_class(row, 14)? })
}

pub(super) fn attempt(row: &Row<'_>) -> Result<Attempt> {
    Ok(Attempt {
        number: row.get(0)?,
        at: Timestamp(row.get(1)?),
        error: error_class(row, 2)?,
        status: row.get(3)?,
        peer: row.get(4)?,
        phases_us: [row.get(5)?, row.get(6)?, row.get(7)?, row.get(8)?, row.get(9)?],
        answer: row.get(10)?,
    })
}

fn error_class(row: &Row<'_>, column: usize) -> Result<Option<ErrorClass>> {
    let word: Option<String> = row.get(column)?;
    let class = |word: String| ErrorClass::parse(&word);
    word.map(|word| class(word).ok_or_else(|| unknown(column, "error class"))).transpose()
}

fn notice_kind(row: &Row<'_>, column: usize) -> Result<NoticeKind> {
    let name = row.get_ref(column)?.as_str()?;
    NoticeKind::parse(name).ok_or_else(|| unknown(column, "kind of notice"))
}

fn json(row: &Row<'_>, column: usize) -> Result<Option<JsonText>> {
    Ok(row.get::<_, Option<String>>(column)?.map(JsonText::from_checked))
}

/// The file holds a word that this version does not know.
fn unknown(column: usize, what: &str) -> Error {
    Error::FromSqlConversionFailure(column, Type::Text, format!("unknown {what}").into())
}
