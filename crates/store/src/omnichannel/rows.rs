//! From rows to domain values. The column orders are those of the statement texts.

use confab_domain::agents::agent::Agent;
use confab_domain::agents::role::Role;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::ids::{
    AgentId, AppId, ChannelId, MessageId, PropertyId, RoomId, SessionId, TagId, UserKey,
};
use confab_domain::json_text::JsonText;
use confab_domain::people::user::{Realm, User, UserId};
use confab_domain::service::customer_room::{AgentRecord, Candidate, CustomerRoom};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::notice::{AgentProfile, CustomerProperty, Info, Session, Tag};

use crate::error::StoreError;
use crate::secrets::sealer::{Place, Sealer};
use crate::sql::{Row, ValueRow};

type Read<T> = Result<T, StoreError>;

/// How many columns a dashboard user has.
pub(super) const WORKER_COLUMNS: usize = 17;
/// How many columns a customer's room has.
pub(super) const CUSTOMER_ROOM_COLUMNS: usize = 20;

pub(super) fn worker(row: &ValueRow, sealer: &Sealer) -> Read<AgentRecord> {
    let id = row.number(0)?;
    let profile = AgentProfile {
        user: Agent {
            id: AgentId(id),
            app: AppId(row.number(1)?),
            email: row.text(2)?,
            name: row.text(3)?,
            role: Role::from_number(row.number(4)?).ok_or_else(|| unknown("role"))?,
            created_at: Timestamp(row.number(5)?),
        },
        avatar_url: row.maybe_text(6)?,
        is_forced_offline: row.flag(7)?,
        is_available: row.flag(8)?,
        is_verified: row.flag(9)?,
        last_login_at: time(row, 10)?,
        sdk_user: UserId::from_stored(row.text(11)?),
        sdk_key: sealer.open_text(Place::UserToken(id), &row.text(12)?)?,
        updated_at: Timestamp(row.number(13)?),
    };
    Ok(AgentRecord {
        profile,
        speaker: UserKey(id),
        serves_max: row.maybe_number(14)?.map(|max| max as u32),
        channels: Vec::new(),
        away_since: time(row, 15)?,
        deleted_at: time(row, 16)?,
    })
}

/// A dashboard user, and how many they serve.
pub(super) fn candidate(row: &ValueRow, sealer: &Sealer) -> Read<Candidate> {
    let AgentRecord { profile, serves_max, .. } = worker(row, sealer)?;
    let serves = row.number(WORKER_COLUMNS)? as u32;
    Ok(Candidate { profile, serves, serves_max, channels: Vec::new() })
}

pub(super) fn customer_room(row: &ValueRow) -> Read<CustomerRoom> {
    let (room, app) = (RoomId(row.number(0)?), AppId(row.number(1)?));
    Ok(CustomerRoom {
        room,
        app,
        channel: ChannelId(row.number(2)?),
        customer: UserKey(row.number(3)?),
        waits_since: time(row, 4)?,
        is_handled_by_bot: row.flag(5)?,
        extras: row.maybe_text(6)?.map(JsonText::from_checked),
        badge_url: row.maybe_text(7)?,
        created_at: Timestamp(row.number(8)?),
        updated_at: Timestamp(row.number(9)?),
        session: match row.maybe_number(10)? {
            None => None,
            Some(id) => Some(Session {
                id: SessionId(id),
                app,
                room,
                served_by: row.maybe_number(11)?.map(AgentId),
                taken_at: time(row, 12)?,
                notes: row.maybe_text(13)?,
                first_message: MessageId(row.number(14)?),
                first_message_at: Timestamp(row.number(15)?),
                last_message: MessageId(row.number(16)?),
                created_at: Timestamp(row.number(17)?),
                updated_at: Timestamp(row.number(18)?),
                resolved_at: time(row, 19)?,
            }),
        },
    })
}

pub(super) fn session(row: &ValueRow) -> Read<Session> {
    Ok(Session {
        id: SessionId(row.number(0)?),
        app: AppId(row.number(1)?),
        room: RoomId(row.number(2)?),
        served_by: row.maybe_number(3)?.map(AgentId),
        taken_at: time(row, 4)?,
        notes: row.maybe_text(5)?,
        first_message: MessageId(row.number(6)?),
        first_message_at: Timestamp(row.number(7)?),
        last_message: MessageId(row.number(8)?),
        created_at: Timestamp(row.number(9)?),
        updated_at: Timestamp(row.number(10)?),
        resolved_at: time(row, 11)?,
    })
}

pub(super) fn channel(row: &ValueRow, sealer: &Sealer) -> Read<Channel> {
    let id = row.number(0)?;
    Ok(Channel {
        id: ChannelId(id),
        app: AppId(row.number(1)?),
        kind: ChannelKind::parse(&row.text(2)?).ok_or_else(|| unknown("kind of channel"))?,
        name: row.text(3)?,
        is_active: row.flag(4)?,
        identifier_key: sealer.open_text(Place::ChannelKey(id), &row.text(5)?)?,
        webhook_url: row.maybe_text(6)?,
        logo_url: row.maybe_text(7)?,
        created_at: Timestamp(row.number(8)?),
        updated_at: Timestamp(row.number(9)?),
        deleted_at: time(row, 10)?,
    })
}

pub(crate) fn user(row: &ValueRow) -> Read<User> {
    Ok(User {
        key: UserKey(row.number(0)?),
        app: AppId(row.number(1)?),
        user_id: UserId::from_stored(row.text(2)?),
        username: row.text(3)?,
        avatar_url: row.text(4)?,
        extras: row.maybe_text(5)?.map(JsonText::from_checked),
        is_active: row.flag(6)?,
        created_at: Timestamp(row.number(7)?),
        updated_at: Timestamp(row.number(8)?),
        realm: Realm::from_number(row.number(9)?),
    })
}

pub(super) fn info(row: &ValueRow) -> Read<Info> {
    Ok(Info { key: row.text(0)?, value: row.text(1)? })
}

pub(super) fn tag(row: &ValueRow) -> Read<Tag> {
    Ok(Tag { id: TagId(row.number(0)?), name: row.text(1)? })
}

pub(super) fn property(row: &ValueRow) -> Read<CustomerProperty> {
    Ok(CustomerProperty {
        id: PropertyId(row.number(0)?),
        label: row.text(1)?,
        value: row.text(2)?,
    })
}

fn time(row: &ValueRow, column: usize) -> Read<Option<Timestamp>> {
    Ok(row.maybe_number(column)?.map(Timestamp))
}

fn unknown(what: &str) -> StoreError {
    StoreError::while_doing("reading a row")(format!("unknown {what}"))
}
