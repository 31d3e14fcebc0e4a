//! From rows to domain values. The column orders are those of the statement texts.

use std::sync::Arc;

use confab_domain::agents::agent::Agent;
use confab_domain::agents::role::Role;
use confab_domain::app::{App, AppCode, OtherKey};
use confab_domain::ids::{AgentId, AppId, DeliveryId, EndpointId, MessageId, RoomId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::{Message, Said};
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::{Realm, User, UserId};
use confab_domain::push::push_facts::PushDevice;
use confab_domain::rooms::room::{LastMessage, Room, RoomKind, RoomUniqueId};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{
    Attempt, Delivery, ErrorClass, Lane, Listed, Pending, Progress, Standing,
};
use confab_domain::webhooks::endpoint::{DeliveryPolicy, Endpoint, Failing};
use confab_domain::webhooks::notice_kind::NoticeKind;
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

use crate::error::StoreError;
use crate::pages::{MessageKey, PageEntry};
use crate::secrets::sealer::{Place, Sealer};

type Read<T> = Result<T, StoreError>;

/// A value of a row.
pub(super) fn get<'a, T: FromSql<'a>>(row: &'a Row, column: usize) -> Read<T> {
    row.try_get(column).map_err(StoreError::while_doing("reading a row"))
}

pub(super) fn app(row: &Row, sealer: &Sealer) -> Read<App> {
    let code = AppCode::parse(get(row, 1)?).map_err(|_| unknown("app code"))?;
    let key = |sealed| sealer.open_text(Place::AppKey(code.as_str()), sealed);
    let other_key = get::<Option<&str>>(row, 7)?.map(key).transpose()?;
    let until = get::<Option<i64>>(row, 8)?.map(Timestamp);
    Ok(App {
        id: AppId(get(row, 0)?),
        name: get(row, 2)?,
        sdk_secret: sealer.open_text(Place::AppSecret(code.as_str()), get(row, 3)?)?,
        secret_key: key(get(row, 4)?)?,
        other_key: other_key.map(|key| OtherKey::from_stored(key, until)),
        system_user: UserKey(get(row, 5)?),
        created_at: Timestamp(get(row, 6)?),
        code,
    })
}

pub(super) fn dashboard_user(row: &Row) -> Read<Agent> {
    Ok(Agent {
        id: AgentId(get(row, 0)?),
        app: AppId(get(row, 1)?),
        email: get(row, 2)?,
        name: get(row, 3)?,
        role: Role::from_number(get(row, 4)?).ok_or_else(|| unknown("role"))?,
        created_at: Timestamp(get(row, 5)?),
    })
}

pub(super) fn user(row: &Row) -> Read<User> {
    user_from(row, 0)
}

fn user_from(row: &Row, first: usize) -> Read<User> {
    Ok(User {
        key: UserKey(get(row, first)?),
        app: AppId(get(row, first + 1)?),
        user_id: UserId::from_stored(get(row, first + 2)?),
        username: get(row, first + 3)?,
        avatar_url: get(row, first + 4)?,
        extras: json(row, first + 5)?,
        is_active: get::<i16>(row, first + 6)? != 0,
        created_at: Timestamp(get(row, first + 7)?),
        updated_at: Timestamp(get(row, first + 8)?),
        realm: Realm::from_number(get(row, first + 9)?),
    })
}

pub(super) fn room(row: &Row) -> Read<Room> {
    Ok(Room {
        id: RoomId(get(row, 0)?),
        app: AppId(get(row, 1)?),
        unique_id: RoomUniqueId::from_trusted(get(row, 2)?),
        kind: RoomKind::parse(get(row, 3)?).ok_or_else(|| unknown("room kind"))?,
        name: get(row, 4)?,
        avatar_url: get(row, 5)?,
        options: get(row, 6)?,
        created_at: Timestamp(get(row, 7)?),
        updated_at: Timestamp(get(row, 8)?),
        customer: get::<Option<i64>>(row, 9)?.map(UserKey),
        audience: get(row, 10)?,
    })
}

/// What follows a room's columns where it is locked.
pub(super) fn last_message(row: &Row) -> Read<Option<LastMessage>> {
    let number = get::<i64>(row, 12)? as u64;
    let last = LastMessage { id: MessageId(get(row, 11)?), number };
    Ok(Some(last).filter(|last| last.number > 0))
}

pub(super) fn message(row: &Row) -> Read<Message> {
    let client_unique_id: Option<String> = get(row, 9)?;
    Ok(Message {
        id: MessageId(get(row, 0)?),
        room: RoomId(get(row, 1)?),
        number: get::<i64>(row, 2)? as u64,
        before: get::<Option<i64>>(row, 3)?.map(MessageId),
        sender: UserKey(get(row, 4)?),
        kind: MessageKind::parse(get(row, 5)?).ok_or_else(|| unknown("message kind"))?,
        text: get(row, 6)?,
        payload: json(row, 7)?,
        extras: json(row, 8)?,
        client_unique_id: client_unique_id.map(UniqueId::from_stored),
        posted_at: Timestamp(get(row, 10)?),
        is_deleted: get::<i16>(row, 11)? != 0,
    })
}

/// Messages with their senders; each sender is there once.
pub(super) fn said(rows: &[Row]) -> Read<Vec<Said>> {
    let mut said: Vec<Said> = Vec::with_capacity(rows.len());
    for row in rows {
        let message = message(row)?;
        let known = said.iter().rev().find(|other| other.message.sender == message.sender);
        let sender = match known {
            Some(other) => other.sender.clone(),
            None => Arc::new(user_from(row, 12)?),
        };
        said.push(Said { message, sender });
    }
    Ok(said)
}

/// The same of a page, where heavy messages are only named.
pub(super) fn page_entries(rows: &[Row]) -> Read<Vec<PageEntry>> {
    let mut entries: Vec<PageEntry> = Vec::with_capacity(rows.len());
    let mut senders: Vec<Arc<User>> = Vec::new();
    for row in rows {
        let message = message(row)?;
        if is_heavy(row)? {
            let Message { room, id, number, .. } = message;
            entries.push(PageEntry::Deferred(MessageKey { room, id, number }));
            continue;
        }
        let known = senders.iter().find(|sender| sender.key == message.sender).cloned();
        let sender = match known {
            Some(sender) => sender,
            None => {
                let sender = Arc::new(user_from(row, 12)?);
                senders.push(sender.clone());
                sender
            }
        };
        entries.push(PageEntry::Loaded(Arc::new(Said { message, sender })));
    }
    Ok(entries)
}

/// Whether JSON of a page's row was too large to be read with it.
fn is_heavy(row: &Row) -> Read<bool> {
    for column in [7, 8, 17] {
        if get::<Option<&str>>(row, column)? == Some("") {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A device, whose columns begin at this one.
pub(super) fn device(row: &Row, first: usize) -> Read<PushDevice> {
    Ok(PushDevice {
        user: UserKey(get(row, first)?),
        token: get(row, first + 1)?,
        is_development: get::<i16>(row, first + 2)? != 0,
    })
}

pub(super) fn endpoint(row: &Row) -> Read<Endpoint> {
    let (since, told) = (get::<Option<i64>>(row, 7)?, get::<i64>(row, 8)? as u32);
    Ok(Endpoint {
        id: EndpointId(get(row, 0)?),
        app: AppId(get(row, 1)?),
        kind: notice_kind(row, 2)?,
        name: get(row, 3)?,
        url: get(row, 4)?,
        is_enabled: get::<i16>(row, 5)? != 0,
        is_paused: get::<i16>(row, 6)? != 0,
        failing: since.map(|since| Failing { since: Timestamp(since), told }),
        policy: DeliveryPolicy {
            timeout_ms: get::<i64>(row, 9)? as u32,
            at_once_max: get::<i64>(row, 10)? as u32,
            per_second_max: get::<Option<i64>>(row, 11)?.map(|limit| limit as u32),
            block_s: get::<i64>(row, 12)? as u32,
        },
        created_at: Timestamp(get(row, 13)?),
        updated_at: Timestamp(get(row, 14)?),
    })
}

pub(super) fn pending(row: &Row) -> Read<Pending> {
    let progress = Progress {
        standing: Standing::from_number(get(row, 6)?).ok_or_else(|| unknown("standing"))?,
        attempts: get::<i64>(row, 7)? as u32,
        tries: get::<i64>(row, 8)? as u32,
        since: Timestamp(get(row, 9)?),
        due_at: Timestamp(get(row, 10)?),
        failed_at: get::<Option<i64>>(row, 11)?.map(Timestamp),
    };
    Ok(Pending {
        id: DeliveryId(get(row, 0)?),
        app: AppId(get(row, 1)?),
        endpoint: EndpointId(get(row, 2)?),
        lane: Lane(get(row, 3)?),
        sequence: get::<i64>(row, 4)? as u64,
        created_at: Timestamp(get(row, 5)?),
        progress,
    })
}

pub(super) fn delivery(row: &Row, sealer: &Sealer) -> Read<(Delivery, Progress)> {
    let Pending { id, app, endpoint, lane, sequence, created_at, progress } = pending(row)?;
    let kind = notice_kind(row, 12)?;
    let depth = get::<i64>(row, 13)? as u32;
    let body = sealer.open_body(id.0, get(row, 14)?)?.into();
    Ok((Delivery { id, app, endpoint, kind, lane, sequence, created_at, depth, body }, progress))
}

pub(super) fn listed(row: &Row) -> Read<Listed> {
    Ok(Listed {
        pending: pending(row)?,
        kind: notice_kind(row, 12)?,
        last_status: get::<Option<i64>>(row, 13)?.map(|status| status as u16),
        last_error: error_class(row, 14)?,
    })
}

pub(super) fn attempt(row: &Row) -> Read<Attempt> {
    let phase = |column| Ok(get::<Option<i64>>(row, column)?.map(|us| us as u32));
    Ok(Attempt {
        number: get::<i64>(row, 0)? as u32,
        at: Timestamp(get(row, 1)?),
        error: error_class(row, 2)?,
        status: get::<Option<i64>>(row, 3)?.map(|status| status as u16),
        peer: get(row, 4)?,
        phases_us: [phase(5)?, phase(6)?, phase(7)?, phase(8)?, phase(9)?],
        answer: get(row, 10)?,
    })
}

fn error_class(row: &Row, column: usize) -> Read<Option<ErrorClass>> {
    let class = |word: &str| ErrorClass::parse(word).ok_or_else(|| unknown("error class"));
    get::<Option<&str>>(row, column)?.map(class).transpose()
}

fn notice_kind(row: &Row, column: usize) -> Read<NoticeKind> {
    NoticeKind::parse(get(row, column)?).ok_or_else(|| unknown("kind of notice"))
}

fn json(row: &Row, column: usize) -> Read<Option<JsonText>> {
    Ok(get::<Option<String>>(row, column)?.map(JsonText::from_checked))
}

/// The database holds a word that this version does not know.
fn unknown(what: &str) -> StoreError {
    StoreError::while_doing("reading a row")(format!("unknown {what}"))
}
