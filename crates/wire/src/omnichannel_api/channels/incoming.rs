//! What a custom channel's gateway brings (wire facts 5.5).

use confab_domain::ids::ChannelId;
use confab_domain::messages::message::Draft;
use confab_domain::people::user::{Realm, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::support::initiating::Visitor;
use serde::Serialize;
use utoipa::ToSchema;

use super::room_log::RoomLog;
use crate::body::Body;
use crate::fields::{self, Filled, Name, Post, Text, field};
use crate::reading::Reading;
use crate::request::request;

request! {
    /// `POST /{app_code}/api/v2/custom_channel/send`
    pub struct IncomingFields as "CustomChannelMessage" {
        /// The customer, as the channel calls them; a phone number may begin with a `+`.
        user_id: fields::ChannelUser, required, example = "6281234567890";
        /// The customer's name for people.
        name: CustomerName, optional;
        /// The customer's picture.
        avatar: Filled<fields::Picture>, optional, also = "avatar_url";
        post: Post, group;
    }
    unread {
        /// Proves the channel.
        identifier_key: Text, required;
    }
}

/// A customer's message. No `Debug`: it holds the key.
pub struct Incoming {
    /// Who says it.
    pub visitor: Visitor,
    /// What.
    pub draft: Draft,
}

impl Incoming {
    /// What proves the channel; it is looked at before anything else.
    pub fn key(body: &Body<'_>) -> Result<Option<String>, Refusal> {
        let given = body.given::<IncomingFields>()?;
        Ok(given.value::<Filled<Text>>("identifier_key", &mut Reading::default()))
    }

    /// Reads the rest: what a customer of this channel says.
    pub fn read(
        body: &Body<'_>,
        channel: ChannelId,
        idempotency_key: Option<&str>,
    ) -> Result<Self, Refusal> {
        let fields: IncomingFields = body.read_keyed(idempotency_key)?;
        let IncomingFields { user_id, name, avatar: avatar_url, post } = fields;
        let sender = UserRef::Of(Realm::Channel(channel), user_id.clone());
        let visitor = Visitor {
            user_id,
            name,
            avatar_url,
            extras: None,
            room_extras: None,
            infos: Vec::new(),
            brand: None,
        };
        Ok(Self { visitor, draft: post.draft(sender) })
    }
}

field! {
    /// A customer's name; blanks alone are none.
    pub(super) CustomerName -> String, Name::SHAPE;
    |reading, field, given| Name::read(reading, field, given).filter(|name| !name.trim().is_empty())
}

/// What became of it.
#[derive(Serialize, ToSchema)]
pub struct Received<'a> {
    /// Who serves the customer, or null.
    agent: Option<ServingAgentShape<'a>>,
    /// The session, or null while nobody serves.
    agent_service: Option<IncomingServiceShape>,
    /// The customer's room.
    room_log: RoomLog<'a>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = AgentShape)]
struct ServingAgentShape<'a> {
    id: i64,
    name: &'a str,
    email: &'a str,
}

#[derive(Serialize, ToSchema)]
#[schema(as = ServiceShape)]
struct IncomingServiceShape {
    id: i64,
    room_id: String,
    is_resolved: bool,
}

/// The answer: the room, and who serves it.
pub fn received<'a>(
    room_log: RoomLog<'a>,
    agent: Option<&'a confab_domain::agents::agent::Agent>,
    session: Option<&confab_domain::webhooks::event::Session>,
) -> Received<'a> {
    let shown = |it: &'a confab_domain::agents::agent::Agent| ServingAgentShape {
        id: it.id.0,
        name: &it.name,
        email: &it.email,
    };
    let session = session.filter(|_| agent.is_some()).map(|it| IncomingServiceShape {
        id: it.id.0,
        room_id: it.room.to_string(),
        is_resolved: it.resolved_at.is_some(),
    });
    Received { agent: agent.map(shown), agent_service: session, room_log }
}
