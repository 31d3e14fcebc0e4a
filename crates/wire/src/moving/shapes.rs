//! Fields of each kind of line, and their conversion to and from domain values.

use confab_domain::channels::channel::ChannelKind;
use confab_domain::ids::{ChannelId, ID_END, SessionId};
use confab_domain::json_text::JsonText;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::rating::Rating;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::moving::moved::{
    MovedChannel, MovedMessage, MovedName, MovedParticipant, MovedRoom, MovedSession, MovedSupport,
    MovedUser,
};
use confab_domain::people::user::UserId;
use confab_domain::rooms::room::{RoomKind, RoomUniqueId};
use confab_domain::support::customer_room::BotDuty;
use confab_domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::raw_json::raw;
use crate::time::to_the_microsecond;

/// Declares a kind of line with its fields. Optional fields are omitted if they are empty.
macro_rules! line {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $kind:ty,)* }
        $(maybe { $($may:ident: $may_kind:ty,)* })?) => {
        $(#[$doc])*
        #[derive(Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name {
            $(pub(super) $field: $kind,)*
            $($(
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub(super) $may: Option<$may_kind>,
            )*)?
        }
    };
}

line! {
    /// The first line.
    HeadLine { version: u32, app: String, made_at: String, }
}

line! {
    /// A channel.
    ChannelLine { id: i64, kind: String, name: String, }
}

line! {
    /// A user.
    UserLine {
        user: String,
        username: String,
        avatar_url: String,
        is_active: bool,
        created_at: String,
        updated_at: String,
    } maybe { channel: i64, extras: Box<RawValue>, agent: String, is_system: bool, }
}

line! {
    /// A room.
    RoomLine {
        unique_id: String,
        kind: String,
        name: String,
        avatar_url: String,
        options: String,
        created_at: String,
        updated_at: String,
    } maybe { service: ServiceShape, }
}

line! {
    /// Support data of a customer's room.
    ServiceShape {
        customer: String,
        channel: i64,
        is_handled_by_bot: bool,
        is_left_to_people: bool,
        created_at: String,
        updated_at: String,
    } maybe {
        customer_channel: i64,
        waits_since: String,
        brand: String,
        extras: Box<RawValue>,
        badge_url: String,
    }
}

line! {
    /// A participant of a room.
    ParticipantLine {
        room: String,
        user: String,
        read_number: u64,
        joined_at: String,
    } maybe { channel: i64, }
}

line! {
    /// A message.
    MessageLine {
        room: String,
        unique_id: String,
        user: String,
        r#type: String,
        text: String,
        posted_at: String,
    } maybe {
        channel: i64,
        payload: Box<RawValue>,
        extras: Box<RawValue>,
        is_deleted: bool,
    }
}

line! {
    /// A session of a customer's room.
    SessionLine {
        room: String,
        id: i64,
        first_message: String,
        last_message: String,
        first_message_at: String,
        created_at: String,
        updated_at: String,
    } maybe {
        served_by: String,
        taken_at: String,
        notes: String,
        resolved_at: String,
        resolved_by: String,
        first_reply_at: String,
        first_reply_by: String,
        reopened_at: String,
        rating: i64,
        rated_at: String,
        rating_asked_at: String,
        unheard_since: String,
    }
}

impl TryFrom<ChannelLine> for MovedChannel {
    type Error = String;

    fn try_from(line: ChannelLine) -> Result<Self, String> {
        let kind = known("kind", &line.kind, ChannelKind::parse)?;
        Ok(Self { id: ChannelId(line.id), kind, name: text("name", line.name)? })
    }
}

impl From<MovedChannel> for ChannelLine {
    fn from(it: MovedChannel) -> Self {
        Self { id: it.id.0, kind: it.kind.as_str().to_owned(), name: it.name }
    }
}

impl TryFrom<UserLine> for MovedUser {
    type Error = String;

    fn try_from(line: UserLine) -> Result<Self, String> {
        Ok(Self {
            name: name("user", &line.user, line.channel)?,
            username: text("username", line.username)?,
            avatar_url: text("avatar_url", line.avatar_url)?,
            extras: json(line.extras),
            is_active: line.is_active,
            created_at: time("created_at", &line.created_at)?,
            updated_at: time("updated_at", &line.updated_at)?,
            agent: line.agent,
            is_system: line.is_system.unwrap_or(false),
        })
    }
}

impl From<MovedUser> for UserLine {
    fn from(it: MovedUser) -> Self {
        Self {
            user: it.name.user.as_str().to_owned(),
            username: it.username,
            avatar_url: it.avatar_url,
            is_active: it.is_active,
            created_at: to_the_microsecond(it.created_at),
            updated_at: to_the_microsecond(it.updated_at),
            channel: it.name.channel.map(|it| it.0),
            extras: it.extras.as_ref().map(written),
            agent: it.agent,
            is_system: it.is_system.then_some(true),
        }
    }
}

impl TryFrom<RoomLine> for MovedRoom {
    type Error = String;

    fn try_from(line: RoomLine) -> Result<Self, String> {
        Ok(Self {
            unique_id: room("unique_id", &line.unique_id)?,
            kind: known("kind", &line.kind, RoomKind::parse)?,
            name: text("name", line.name)?,
            avatar_url: text("avatar_url", line.avatar_url)?,
            options: text("options", line.options)?,
            created_at: time("created_at", &line.created_at)?,
            updated_at: time("updated_at", &line.updated_at)?,
            service: line.service.map(TryInto::try_into).transpose()?,
        })
    }
}

impl From<MovedRoom> for RoomLine {
    fn from(it: MovedRoom) -> Self {
        Self {
            unique_id: it.unique_id.as_str().to_owned(),
            kind: it.kind.as_str().to_owned(),
            name: it.name,
            avatar_url: it.avatar_url,
            options: it.options,
            created_at: to_the_microsecond(it.created_at),
            updated_at: to_the_microsecond(it.updated_at),
            service: it.service.map(Into::into),
        }
    }
}

impl TryFrom<ServiceShape> for MovedSupport {
    type Error = String;

    fn try_from(line: ServiceShape) -> Result<Self, String> {
        let bot_duty = match (line.is_left_to_people, &line.waits_since) {
            (false, _) => BotDuty::Always,
            (true, None) => BotDuty::WhileUnserved,
            (true, Some(_)) => BotDuty::SwitchedOff,
        };
        Ok(Self {
            customer: name("customer", &line.customer, line.customer_channel)?,
            channel: ChannelId(line.channel),
            waits_since: maybe_time("waits_since", line.waits_since)?,
            is_handled_by_bot: line.is_handled_by_bot,
            bot_duty,
            brand: maybe_text("brand", line.brand)?,
            extras: json(line.extras),
            badge_url: maybe_text("badge_url", line.badge_url)?,
            created_at: time("created_at", &line.created_at)?,
            updated_at: time("updated_at", &line.updated_at)?,
        })
    }
}

impl From<MovedSupport> for ServiceShape {
    fn from(it: MovedSupport) -> Self {
        Self {
            customer: it.customer.user.as_str().to_owned(),
            channel: it.channel.0,
            is_handled_by_bot: it.is_handled_by_bot,
            is_left_to_people: it.bot_duty != BotDuty::Always,
            created_at: to_the_microsecond(it.created_at),
            updated_at: to_the_microsecond(it.updated_at),
            customer_channel: it.customer.channel.map(|it| it.0),
            waits_since: it.waits_since.map(to_the_microsecond),
            brand: it.brand,
            extras: it.extras.as_ref().map(written),
            badge_url: it.badge_url,
        }
    }
}

impl TryFrom<ParticipantLine> for MovedParticipant {
    type Error = String;

    fn try_from(line: ParticipantLine) -> Result<Self, String> {
        let is_count = line.read_number < ID_END.unsigned_abs();
        Ok(Self {
            room: room("room", &line.room)?,
            user: name("user", &line.user, line.channel)?,
            read_number: is_count
                .then_some(line.read_number)
                .ok_or("has a read_number that is too large")?,
            joined_at: time("joined_at", &line.joined_at)?,
        })
    }
}

impl From<MovedParticipant> for ParticipantLine {
    fn from(it: MovedParticipant) -> Self {
        Self {
            room: it.room.as_str().to_owned(),
            user: it.user.user.as_str().to_owned(),
            read_number: it.read_number,
            joined_at: to_the_microsecond(it.joined_at),
            channel: it.user.channel.map(|it| it.0),
        }
    }
}

impl TryFrom<MessageLine> for MovedMessage {
    type Error = String;

    fn try_from(line: MessageLine) -> Result<Self, String> {
        Ok(Self {
            room: room("room", &line.room)?,
            unique_id: unique_id("unique_id", &line.unique_id)?,
            sender: name("user", &line.user, line.channel)?,
            kind: known("type", &line.r#type, MessageKind::parse)?,
            text: text("text", line.text)?,
            payload: json(line.payload),
            extras: json(line.extras),
            posted_at: time("posted_at", &line.posted_at)?,
            is_deleted: line.is_deleted.unwrap_or(false),
        })
    }
}

impl From<MovedMessage> for MessageLine {
    fn from(it: MovedMessage) -> Self {
        Self {
            room: it.room.as_str().to_owned(),
            unique_id: it.unique_id.as_str().to_owned(),
            user: it.sender.user.as_str().to_owned(),
            r#type: it.kind.as_str().to_owned(),
            text: it.text,
            posted_at: to_the_microsecond(it.posted_at),
            channel: it.sender.channel.map(|it| it.0),
            payload: it.payload.as_ref().map(written),
            extras: it.extras.as_ref().map(written),
            is_deleted: it.is_deleted.then_some(true),
        }
    }
}

impl TryFrom<SessionLine> for MovedSession {
    type Error = String;

    fn try_from(line: SessionLine) -> Result<Self, String> {
        let rating = line
            .rating
            .map(|it| Rating::from_number(it).ok_or("has a rating that is not from 1 to 5"));
        let is_id = (1..ID_END).contains(&line.id);
        Ok(Self {
            room: room("room", &line.room)?,
            id: is_id.then_some(SessionId(line.id)).ok_or("has an invalid id")?,
            first_message: unique_id("first_message", &line.first_message)?,
            last_message: unique_id("last_message", &line.last_message)?,
            served_by: line.served_by,
            taken_at: maybe_time("taken_at", line.taken_at)?,
            notes: maybe_text("notes", line.notes)?,
            first_message_at: time("first_message_at", &line.first_message_at)?,
            created_at: time("created_at", &line.created_at)?,
            updated_at: time("updated_at", &line.updated_at)?,
            resolved_at: maybe_time("resolved_at", line.resolved_at)?,
            resolved_by: line.resolved_by,
            first_reply_at: maybe_time("first_reply_at", line.first_reply_at)?,
            first_reply_by: line.first_reply_by,
            reopened_at: maybe_time("reopened_at", line.reopened_at)?,
            rating: rating.transpose()?,
            rated_at: maybe_time("rated_at", line.rated_at)?,
            rating_asked_at: maybe_time("rating_asked_at", line.rating_asked_at)?,
            unheard_since: maybe_time("unheard_since", line.unheard_since)?,
        })
    }
}

impl From<MovedSession> for SessionLine {
    fn from(it: MovedSession) -> Self {
        Self {
            room: it.room.as_str().to_owned(),
            id: it.id.0,
            first_message: it.first_message.as_str().to_owned(),
            last_message: it.last_message.as_str().to_owned(),
            first_message_at: to_the_microsecond(it.first_message_at),
            created_at: to_the_microsecond(it.created_at),
            updated_at: to_the_microsecond(it.updated_at),
            served_by: it.served_by,
            taken_at: it.taken_at.map(to_the_microsecond),
            notes: it.notes,
            resolved_at: it.resolved_at.map(to_the_microsecond),
            resolved_by: it.resolved_by,
            first_reply_at: it.first_reply_at.map(to_the_microsecond),
            first_reply_by: it.first_reply_by,
            reopened_at: it.reopened_at.map(to_the_microsecond),
            rating: it.rating.map(Rating::number),
            rated_at: it.rated_at.map(to_the_microsecond),
            rating_asked_at: it.rating_asked_at.map(to_the_microsecond),
            unheard_since: it.unheard_since.map(to_the_microsecond),
        }
    }
}

fn written(json: &JsonText) -> Box<RawValue> {
    raw(json).to_owned()
}

/// Converts JSON that serde has already validated.
pub(super) fn json(given: Option<Box<RawValue>>) -> Option<JsonText> {
    given.map(|it| JsonText::from_checked(it.get()))
}

/// Refuses NUL, which PostgreSQL cannot store.
pub(super) fn text(field: &str, given: String) -> Result<String, String> {
    match given.contains('\0') {
        true => Err(format!("contains the NUL character in {field}")),
        false => Ok(given),
    }
}

fn maybe_text(field: &str, given: Option<String>) -> Result<Option<String>, String> {
    given.map(|given| text(field, given)).transpose()
}

pub(super) fn time(field: &str, given: &str) -> Result<Timestamp, String> {
    let read = given.parse::<jiff::Timestamp>();
    let read = read.map_err(|_| format!("has a {field} that is not a time such as {SUCH}"))?;
    Ok(Timestamp(read.as_microsecond()))
}

const SUCH: &str = "2026-01-31T10:00:00Z";

fn maybe_time(field: &str, given: Option<String>) -> Result<Option<Timestamp>, String> {
    given.map(|given| time(field, &given)).transpose()
}

pub(super) fn known<T>(
    field: &str,
    given: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, String> {
    parse(given).ok_or_else(|| format!("has an unknown {field}: {given}"))
}

pub(super) fn name(field: &str, given: &str, channel: Option<i64>) -> Result<MovedName, String> {
    let user = UserId::parse(field, given).map_err(|problem| format!("is invalid: {problem}"))?;
    Ok(MovedName { user, channel: channel.map(ChannelId) })
}

pub(super) fn room(field: &str, given: &str) -> Result<RoomUniqueId, String> {
    RoomUniqueId::parse(field, given).map_err(|problem| format!("is invalid: {problem}"))
}

pub(super) fn unique_id(field: &str, given: &str) -> Result<UniqueId, String> {
    UniqueId::parse(field, given).map_err(|problem| format!("is invalid: {problem}"))
}
