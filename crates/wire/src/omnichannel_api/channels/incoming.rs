//! Customers' messages sent by the gateway of a custom channel (wire facts 5.5).

use confab_domain::ids::ChannelId;
use confab_domain::messages::message::Draft;
use confab_domain::people::user::{Realm, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::initiating::Visitor;
use serde::Serialize;
use utoipa::ToSchema;

use super::room_log::RoomLog;
use crate::body::Body;
use crate::fields::{self, Name, NonEmpty, Post, Text, field};
use crate::reading::FieldReader;
use crate::request::request;

request! {
    /// Body of `POST /{app_code}/api/v2/custom_channel/send`.
    pub struct IncomingFields as "CustomChannelMessage" {
        /// User id of the customer in this channel; a phone number may begin with `+`.
        user_id: fields::ChannelUser, required, example = "6281234567890";
        /// Display name of the customer.
        name: CustomerName, optional;
        /// Picture URL of the customer.
        avatar: NonEmpty<fields::Picture>, optional, also = "avatar_url";
        post: Post, group;
    }
    unread {
        /// Key with which the gateway authenticates.
        identifier_key: Text, required;
    }
}

/// A customer's message.
pub struct IncomingMessage {
    /// The customer who sent the message.
    pub visitor: Visitor,
    pub draft: Draft,
}

impl IncomingMessage {
    /// Returns the key with which the gateway authenticates, without parsing the other fields.
    pub fn key(body: &Body<'_>) -> Result<Option<String>, Refusal> {
        let given = body.given::<IncomingFields>()?;
        Ok(given.value::<NonEmpty<Text>>("identifier_key", &mut FieldReader::default()))
    }

    /// Parses a customer's message, without the key.
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
    /// A customer's name; a blank one means absent.
    pub(super) CustomerName -> String, Name::SHAPE;
    |reading, field, given| Name::read(reading, field, given).filter(|name| !name.trim().is_empty())
}

/// Response data with the customer's room, its agent and its session.
#[derive(Serialize, ToSchema)]
pub struct ReceivedMessage<'a> {
    /// The agent assigned to the room, or null.
    agent: Option<ServingAgentShape<'a>>,
    /// The session, or null while no agent is assigned.
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

/// Creates the response data from the room, its agent and its session.
pub fn received<'a>(
    room_log: RoomLog<'a>,
    agent: Option<&'a confab_domain::agents::agent::Agent>,
    session: Option<&confab_domain::webhooks::event::Session>,
) -> ReceivedMessage<'a> {
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
    ReceivedMessage { agent: agent.map(shown), agent_service: session, room_log }
}
