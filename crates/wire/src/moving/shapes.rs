//! The fields of each kind of line, and their conversion to imported values and back.

use confab_domain::channels::channel::ChannelKind;
use confab_domain::ids::{ChannelId, ID_END};
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::rating::Rating;
use confab_domain::moving::moved::{
    MovedChannel, MovedMessage, MovedName, MovedParticipant, MovedRoom, MovedSession, MovedSupport,
    MovedUser,
};
use confab_domain::people::user::UserId;
use confab_domain::rooms::room::{RoomKind, RoomUniqueId};
use confab_domain::support::conversations::customer_room::BotDuty;
use confab_domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::bounds::{
    content, json, maybe_text, maybe_time, session, text, time, unchecked, unique_id,
};
use crate::fields::{self, Short};
use crate::raw_json::raw;
use crate::time::to_the_microsecond;

/// Declares a line with its fields. The fields in `maybe` are optional and omitted if absent.
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
    /// The first line of an export file.
    HeadLine { version: u32, app: String, made_at: String, }
}

line! {
    /// A channel of the app.
    ChannelLine { id: i64, kind: String, name: String, }
}

line! {
    /// A user of the app or, with `channel`, a customer of that channel.
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
    /// A room; `service` is present if it belongs to a customer.
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
    /// The support state of a customer's room.
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
    /// A message of a room.
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

impl ChannelLine {
    pub(super) fn moved(self) -> Result<MovedChannel, String> {
        let kind = known("kind", &self.kind, ChannelKind::parse)?;
        let name = text::<fields::Name>("name", &self.name)?;
        Ok(MovedChannel { id: ChannelId(self.id), kind, name })
    }
}

impl From<MovedChannel> for ChannelLine {
    fn from(it: MovedChannel) -> Self {
        Self { id: it.id.0, kind: it.kind.as_str().to_owned(), name: it.name }
    }
}

impl UserLine {
    pub(super) fn moved(self, now: Timestamp) -> Result<MovedUser, String> {
        Ok(MovedUser {
            name: name("user", &self.user, self.channel)?,
            username: text::<fields::Name>("username", &self.username)?,
            avatar_url: text::<fields::Picture>("avatar_url", &self.avatar_url)?,
            extras: json::<fields::Properties>("extras", self.extras)?,
            is_active: self.is_active,
            created_at: time("created_at", &self.created_at, now)?,
            updated_at: time("updated_at", &self.updated_at, now)?,
            agent: self.agent,
            is_system: self.is_system.unwrap_or(false),
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

impl RoomLine {
    pub(super) fn moved(self, now: Timestamp) -> Result<MovedRoom, String> {
        Ok(MovedRoom {
            unique_id: room("unique_id", &self.unique_id)?,
            kind: known("kind", &self.kind, RoomKind::parse)?,
            name: text::<fields::Name>("name", &self.name)?,
            avatar_url: text::<fields::Picture>("avatar_url", &self.avatar_url)?,
            options: text::<fields::Options>("options", &self.options)?,
            created_at: time("created_at", &self.created_at, now)?,
            updated_at: time("updated_at", &self.updated_at, now)?,
            service: self.service.map(|it| it.moved(now)).transpose()?,
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

impl ServiceShape {
    pub(super) fn moved(self, now: Timestamp) -> Result<MovedSupport, String> {
        let bot_duty = match (self.is_left_to_people, &self.waits_since) {
            (false, _) => BotDuty::Always,
            (true, None) => BotDuty::WhileUnserved,
            (true, Some(_)) => BotDuty::SwitchedOff,
        };
        Ok(MovedSupport {
            customer: name("customer", &self.customer, self.customer_channel)?,
            channel: ChannelId(self.channel),
            waits_since: maybe_time("waits_since", self.waits_since, now)?,
            is_handled_by_bot: self.is_handled_by_bot,
            bot_duty,
            brand: maybe_text::<Short<{ limits::NAME_CHARS_MAX }>>("brand", self.brand)?,
            extras: json::<fields::Properties>("extras", self.extras)?,
            badge_url: maybe_text::<fields::Picture>("badge_url", self.badge_url)?,
            created_at: time("created_at", &self.created_at, now)?,
            updated_at: time("updated_at", &self.updated_at, now)?,
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

impl ParticipantLine {
    pub(super) fn moved(self, now: Timestamp) -> Result<MovedParticipant, String> {
        let is_count = self.read_number < ID_END.unsigned_abs();
        Ok(MovedParticipant {
            room: room("room", &self.room)?,
            user: name("user", &self.user, self.channel)?,
            read_number: is_count
                .then_some(self.read_number)
                .ok_or("has a read_number that is too large")?,
            joined_at: time("joined_at", &self.joined_at, now)?,
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

impl MessageLine {
    pub(super) fn moved(self, now: Timestamp) -> Result<MovedMessage, String> {
        let kind = known("type", &self.r#type, MessageKind::parse)?;
        let is_deleted = self.is_deleted.unwrap_or(false);
        let mut message = MovedMessage {
            room: room("room", &self.room)?,
            unique_id: unique_id("unique_id", &self.unique_id)?,
            sender: name("user", &self.user, self.channel)?,
            kind,
            text: String::new(),
            payload: None,
            extras: None,
            posted_at: time("posted_at", &self.posted_at, now)?,
            is_deleted,
        };
        if !is_deleted {
            // As in the API, a text has no payload.
            let payload = self.payload.filter(|_| kind != MessageKind::Text);
            let payload = payload.map(|it| unchecked(&it));
            content(kind, &self.text, payload.as_ref())?;
            message.text = self.text;
            message.payload = payload;
            message.extras = json::<fields::Extras>("extras", self.extras)?;
        }
        Ok(message)
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

impl SessionLine {
    pub(super) fn moved(self, now: Timestamp) -> Result<MovedSession, String> {
        let rating =
            self.rating.map(|it| Rating::from_number(it).ok_or("has a rating that is not 1 to 5"));
        Ok(MovedSession {
            room: room("room", &self.room)?,
            id: session(self.id, now)?,
            first_message: unique_id("first_message", &self.first_message)?,
            last_message: unique_id("last_message", &self.last_message)?,
            served_by: self.served_by,
            taken_at: maybe_time("taken_at", self.taken_at, now)?,
            notes: maybe_text::<Short<{ limits::INFO_CHARS_MAX }>>("notes", self.notes)?,
            first_message_at: time("first_message_at", &self.first_message_at, now)?,
            created_at: time("created_at", &self.created_at, now)?,
            updated_at: time("updated_at", &self.updated_at, now)?,
            resolved_at: maybe_time("resolved_at", self.resolved_at, now)?,
            resolved_by: self.resolved_by,
            first_reply_at: maybe_time("first_reply_at", self.first_reply_at, now)?,
            first_reply_by: self.first_reply_by,
            reopened_at: maybe_time("reopened_at", self.reopened_at, now)?,
            rating: rating.transpose()?,
            rated_at: maybe_time("rated_at", self.rated_at, now)?,
            rating_asked_at: maybe_time("rating_asked_at", self.rating_asked_at, now)?,
            unheard_since: maybe_time("unheard_since", self.unheard_since, now)?,
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

pub(super) fn known<T>(
    field: &str,
    given: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, String> {
    parse(given).ok_or_else(|| format!("has an unknown {field}: {given}"))
}

pub(super) fn name(field: &str, given: &str, channel: Option<i64>) -> Result<MovedName, String> {
    let user = UserId::parse(field, given).map_err(|problem| format!("is wrong: {problem}"))?;
    Ok(MovedName { user, channel: channel.map(ChannelId) })
}

pub(super) fn room(field: &str, given: &str) -> Result<RoomUniqueId, String> {
    RoomUniqueId::parse(field, given).map_err(|problem| format!("is wrong: {problem}"))
}
