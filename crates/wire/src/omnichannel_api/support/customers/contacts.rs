//! Details of one customer, in the format of agent apps (wire facts 5.7).

use std::sync::Arc;

use confab_domain::ids::{MessageId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_domain::people::user::User;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::event::CustomerProperty;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{self, Flag, IdText, Label};
use crate::omnichannel_api::support::customers::infos::{ContactProperty, property};
use crate::request::request;
use crate::sdk_api::messages::ClientCommentList;
use crate::time::to_the_second;

request! {
    /// Query of `GET /api/v2/contacts/{contact_id}/conversations/{room_id}`.
    pub struct ContactConversationFields {
        /// Id of a message; only older messages are returned. If absent, the newest messages are
        /// returned.
        last_comment_id: fields::MessageId, optional;
    }
}

/// Parses the id of the message before which messages are requested.
pub fn read_conversation(query: &Body<'_>) -> Result<Option<MessageId>, Refusal> {
    let fields: ContactConversationFields = query.read()?;
    Ok(fields.last_comment_id.filter(|id| id.0 > 0))
}

request! {
    /// Body of `POST /api/v1/customer/block`.
    pub struct BlockCustomerFields as "BlockCustomer" {
        /// Room id of the customer.
        room_id: IdText, required, example = "55";
        /// Whether to block the customer from writing.
        is_blocked: Flag, or true, default = || true.into();
    }
}

/// Parses the customer's room, and whether to block the customer.
pub fn read_block(body: &Body<'_>) -> Result<(RoomId, bool), Refusal> {
    let BlockCustomerFields { room_id, is_blocked } = body.read()?;
    Ok((RoomId(room_id), is_blocked))
}

request! {
    /// Body of `PATCH /api/v2/contacts/{contact_id}`.
    pub struct RenameContactFields as "RenameContact" {
        /// New name of the customer.
        name: Label<{ limits::NAME_CHARS_MAX }>, required, example = "Ana";
    }
}

/// Parses the new name of a customer.
pub fn read_rename(body: &Body<'_>) -> Result<String, Refusal> {
    let RenameContactFields { name } = body.read()?;
    Ok(name)
}

/// A customer.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Contact)]
pub struct ContactShape<'a> {
    id: i64,
    user_id: &'a str,
    name: &'a str,
    avatar_url: &'a str,
    /// Email address, if the customer's id is one; otherwise null.
    email: Option<&'a str>,
    /// Phone number, if the customer's id is one; otherwise null.
    phone_number: Option<&'a str>,
    /// Whether the customer is blocked and cannot write.
    is_blocked: bool,
    /// Time of the customer's last message; null if it is not among the newest messages of the
    /// newest room that the caller may see.
    #[schema(example = "2026-01-31T10:00:00Z")]
    last_customer_message_date: Option<String>,
    #[schema(example = "2026-01-31T10:00:00Z")]
    created_at: String,
}

/// Response data with one customer.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContactBox<'a> {
    contact: ContactShape<'a>,
}

/// Returns a customer. `posted` are the newest messages in their newest room, newest first.
pub fn contact<'a>(customer: &'a User, posted: &[Arc<PostedMessage>]) -> ContactBox<'a> {
    let user_id = customer.user_id.as_str();
    let is_number =
        (6..=20).contains(&user_id.len()) && user_id.bytes().all(|byte| byte.is_ascii_digit());
    let last = posted.iter().find(|it| it.message.sender == customer.key);
    ContactBox {
        contact: ContactShape {
            id: customer.key.0,
            user_id,
            name: &customer.username,
            avatar_url: &customer.avatar_url,
            email: Some(user_id).filter(|it| it.contains('@')),
            phone_number: Some(user_id).filter(|_| is_number),
            is_blocked: !customer.is_active,
            last_customer_message_date: last.map(|it| to_the_second(it.message.posted_at)),
            created_at: to_the_second(customer.created_at),
        },
    }
}

/// Response data with the properties of a customer.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContactProperties<'a> {
    customer_properties: Vec<ContactProperty<'a>>,
}

/// Returns the properties of a customer, which apply to all of their rooms.
pub fn properties(customer: UserKey, known: &[CustomerProperty]) -> ContactProperties<'_> {
    let shown = known.iter().map(|it| property(customer, it)).collect();
    ContactProperties { customer_properties: shown }
}

/// Response data of blocking a customer.
#[derive(Debug, Serialize, ToSchema)]
pub struct BlockedCustomer {
    /// Room id of the customer.
    pub room_id: String,
    /// Whether the customer is blocked and cannot write.
    pub is_blocked: bool,
}

/// Body of a response with the messages of a customer's room. Published clients read `results`;
/// `data` has the same value, for consistency with other calls.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContactComments)]
pub struct Conversation<'a> {
    results: &'a ClientCommentList<'a>,
    /// Same value as `results`.
    data: &'a ClientCommentList<'a>,
    #[schema(example = 200)]
    status: u16,
}

impl<'a> Conversation<'a> {
    /// Creates the response with a page of comments, newest first.
    pub fn of(comments: &'a ClientCommentList<'a>) -> Self {
        Self { results: comments, data: comments, status: 200 }
    }
}
