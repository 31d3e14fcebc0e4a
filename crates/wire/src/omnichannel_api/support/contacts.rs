//! Customers as agent apps look them up (wire facts 5.7).

use std::sync::Arc;

use confab_domain::ids::{MessageId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_domain::people::user::User;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::event::CustomerProperty;
use serde::Serialize;
use utoipa::ToSchema;

use super::infos::{ContactProperty, property};
use crate::body::Body;
use crate::fields::{self, Flag, IdText, Label};
use crate::request::request;
use crate::sdk_api::messages::ClientCommentList;
use crate::time::to_the_second;

request! {
    /// `GET /api/v2/contacts/{contact_id}/conversations/{room_id}`
    pub struct ConversationFields {
        /// Those before this message; the newest if absent.
        last_comment_id: fields::MessageId, optional;
    }
}

/// Reads before which message.
pub fn read_conversation(query: &Body<'_>) -> Result<Option<MessageId>, Refusal> {
    let fields: ConversationFields = query.read()?;
    Ok(fields.last_comment_id.filter(|id| id.0 > 0))
}

request! {
    /// `POST /api/v1/customer/block`
    pub struct BlockCustomerFields as "BlockCustomer" {
        /// The customer's room.
        room_id: IdText, required, example = "55";
        /// Whether they may write no more.
        is_blocked: Flag, or true, default = || true.into();
    }
}

/// Reads whose room, and whether they are blocked.
pub fn read_block(body: &Body<'_>) -> Result<(RoomId, bool), Refusal> {
    let BlockCustomerFields { room_id, is_blocked } = body.read()?;
    Ok((RoomId(room_id), is_blocked))
}

request! {
    /// `PATCH /api/v2/contacts/{contact_id}`
    pub struct RenameContactFields as "RenameContact" {
        /// What the customer is called.
        name: Label<{ limits::NAME_CHARS_MAX }>, required, example = "Ana";
    }
}

/// Reads what a customer is called.
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
    /// Null where the customer is not known by an address.
    email: Option<&'a str>,
    /// Null where the customer is not known by a number.
    phone_number: Option<&'a str>,
    /// Whether they may write no more.
    is_blocked: bool,
    /// Of the newest messages of their newest room that the caller sees.
    #[schema(example = "2026-01-31T10:00:00Z")]
    last_customer_message_date: Option<String>,
    #[schema(example = "2026-01-31T10:00:00Z")]
    created_at: String,
}

/// `{contact}`
#[derive(Debug, Serialize, ToSchema)]
pub struct ContactBox<'a> {
    contact: ContactShape<'a>,
}

/// A customer, and what was said last in their newest room, the newest first.
pub fn contact<'a>(customer: &'a User, said: &[Arc<PostedMessage>]) -> ContactBox<'a> {
    let user_id = customer.user_id.as_str();
    let is_number =
        (6..=20).contains(&user_id.len()) && user_id.bytes().all(|byte| byte.is_ascii_digit());
    let last = said.iter().find(|it| it.message.sender == customer.key);
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

/// `{customer_properties}`
#[derive(Debug, Serialize, ToSchema)]
pub struct ContactProperties<'a> {
    customer_properties: Vec<ContactProperty<'a>>,
}

/// What is known about a customer in every room.
pub fn properties(customer: UserKey, known: &[CustomerProperty]) -> ContactProperties<'_> {
    let shown = known.iter().map(|it| property(customer, it)).collect();
    ContactProperties { customer_properties: shown }
}

/// `{room_id, is_blocked}`
#[derive(Debug, Serialize, ToSchema)]
pub struct BlockedCustomer {
    /// Their room.
    pub room_id: String,
    /// Whether they may write no more.
    pub is_blocked: bool,
}

/// The messages of a customer's room: published clients read `results`, or `data` as other
/// calls of this API answer.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContactComments)]
pub struct Conversation<'a> {
    results: &'a ClientCommentList<'a>,
    /// The same as `results`.
    data: &'a ClientCommentList<'a>,
    #[schema(example = 200)]
    status: u16,
}

impl<'a> Conversation<'a> {
    /// A page of comments, the newest first.
    pub fn of(comments: &'a ClientCommentList<'a>) -> Self {
        Self { results: comments, data: comments, status: 200 }
    }
}
