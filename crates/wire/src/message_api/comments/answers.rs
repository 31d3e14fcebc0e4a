//! Responses with comments (spec 2.1, 2.3).

use std::sync::Arc;

use confab_domain::messages::message::PostedMessage;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::people::user::User;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::raw_json::{empty, raw};
use crate::shown_extras::{ShownExtras, shown_extras};
use crate::time::to_the_second;

/// A message, which this API calls a comment (spec 2.1), with its integer id and its unique id
/// (D-0002).
#[derive(Debug, Serialize, ToSchema)]
pub struct Comment<'a> {
    /// Integer id of the message.
    id: i64,
    /// Unique id of the message, used to delete it.
    unique_temp_id: String,
    /// Same value as `unique_temp_id`.
    unique_id: String,
    /// Text of the message as clients display it (spec 2.2).
    message: &'a str,
    /// Content that depends on the message type. For a text message: `{}` in the response to a
    /// post, `null` when the message is loaded.
    #[schema(value_type = Option<Object>)]
    payload: Option<&'a RawValue>,
    /// Metadata set by the sender: any JSON value.
    #[schema(value_type = serde_json::Value)]
    extras: &'a RawValue,
    /// Time when the message was posted, as `YYYY-MM-DDThh:mm:ssZ`.
    #[schema(example = "2026-01-31T10:00:00Z")]
    timestamp: String,
    /// Message type, such as `text` or `file_attachment`.
    r#type: &'a str,
    /// Sender of the message.
    user: CommentUser<'a>,
}

/// The sender of a comment (spec 2.3).
#[derive(Debug, Serialize, ToSchema)]
pub struct CommentUser<'a> {
    /// Whether the user is active; false after deactivation. Only in responses to posts.
    #[serde(skip_serializing_if = "Option::is_none")]
    active: Option<bool>,
    /// User id, as assigned by the app.
    user_id: &'a str,
    /// Display name of the user.
    username: &'a str,
    /// URL of the user's picture, or an empty string.
    avatar_url: &'a str,
    /// User metadata. Present in responses to posts, and in loaded messages if the app's setting
    /// `shows_sender_extras` is on.
    #[schema(value_type = Option<Object>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    extras: Option<ShownExtras<'a>>,
}

/// The `results` object of a response to a post.
#[derive(Debug, Serialize, ToSchema)]
pub struct CommentBox<'a> {
    /// The posted message.
    pub comment: Comment<'a>,
}

/// The `results` object of a response with several comments: to a load call or a broadcast.
#[derive(Debug, Serialize, ToSchema)]
pub struct CommentList<'a> {
    /// Messages: newest first when loaded; in the order of the recipients for a broadcast.
    pub comments: Vec<Comment<'a>>,
}

impl<'a> Comment<'a> {
    /// Creates the comment for a response to a post: a text has the payload `{}`, and the sender
    /// has `active` and `extras`.
    pub fn posted(posted: &'a PostedMessage) -> Self {
        let payload = posted.message.payload.as_ref().map_or(empty(), raw);
        Self::of(posted, Some(payload), Some(posted.sender.is_active), true)
    }

    /// Creates the comment for a page of messages: a text has the payload `null`, and the sender
    /// has no `active`, and has `extras` only if `shows_extras`.
    pub fn loaded(posted: &'a PostedMessage, shows_extras: bool) -> Self {
        Self::of(posted, posted.message.payload.as_ref().map(raw), None, shows_extras)
    }

    fn of(
        posted: &'a PostedMessage,
        payload: Option<&'a RawValue>,
        active: Option<bool>,
        shows_extras: bool,
    ) -> Self {
        let PostedMessage { message, sender } = posted;
        let User { user_id, username, avatar_url, .. } = &**sender;
        let extras = shows_extras.then(|| shown_extras(sender));
        let unique_id = message.unique_id().to_string();
        Self {
            id: message.id.0,
            unique_temp_id: unique_id.clone(),
            unique_id,
            message: &message.text,
            payload,
            extras: message.extras.as_ref().map_or(empty(), raw),
            timestamp: to_the_second(message.posted_at),
            r#type: MessageKind::as_str(message.kind),
            user: CommentUser { active, user_id: user_id.as_str(), username, avatar_url, extras },
        }
    }
}

/// Returns the response to a post.
pub fn posted(posted: &PostedMessage) -> CommentBox<'_> {
    CommentBox { comment: Comment::posted(posted) }
}

/// Returns the response to a load call.
pub fn loaded(page: &[Arc<PostedMessage>], shows_extras: bool) -> CommentList<'_> {
    CommentList {
        comments: page.iter().map(|posted| Comment::loaded(posted, shows_extras)).collect(),
    }
}

/// Returns the response to a broadcast.
pub fn broadcast(posted: &[PostedMessage]) -> CommentList<'_> {
    CommentList { comments: posted.iter().map(Comment::posted).collect() }
}
