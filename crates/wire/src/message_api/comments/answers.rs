//! What callers are answered about comments (spec 2.1, 2.3).

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

/// A comment (spec 2.1) with the ids that name it (D-0002).
#[derive(Debug, Serialize, ToSchema)]
pub struct Comment<'a> {
    /// The message's integer.
    id: i64,
    /// Names the message in delete calls.
    unique_temp_id: String,
    /// The same as `unique_temp_id`.
    unique_id: String,
    /// The text shown (spec 2.2).
    message: &'a str,
    /// The content of the type: `{}` in the answer to a text post, `null` when loaded.
    #[schema(value_type = Option<Object>)]
    payload: Option<&'a RawValue>,
    /// The poster's metadata: any JSON value.
    #[schema(value_type = serde_json::Value)]
    extras: &'a RawValue,
    /// `YYYY-MM-DDThh:mm:ssZ`
    #[schema(example = "2026-01-31T10:00:00Z")]
    timestamp: String,
    /// The message type.
    r#type: &'a str,
    /// The sender.
    user: CommentUser<'a>,
}

/// A sender (spec 2.3).
#[derive(Debug, Serialize, ToSchema)]
pub struct CommentUser<'a> {
    /// False after deactivation. In answers to posts only.
    #[serde(skip_serializing_if = "Option::is_none")]
    active: Option<bool>,
    /// The name the app gave.
    user_id: &'a str,
    /// The name for people.
    username: &'a str,
    /// A picture, or an empty text.
    avatar_url: &'a str,
    /// In answers to posts, and of loaded messages if the app's setting `shows_sender_extras` is
    /// on.
    #[schema(value_type = Option<Object>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    extras: Option<ShownExtras<'a>>,
}

/// `results.comment` of the post calls.
#[derive(Debug, Serialize, ToSchema)]
pub struct CommentBox<'a> {
    /// What was posted.
    pub comment: Comment<'a>,
}

/// `results.comments` of the load calls and of a broadcast.
#[derive(Debug, Serialize, ToSchema)]
pub struct CommentList<'a> {
    /// Newest first when loaded.
    pub comments: Vec<Comment<'a>>,
}

impl<'a> Comment<'a> {
    /// As the answer to a post: a text has the payload `{}`, the user has `active` and `extras`.
    pub fn posted(said: &'a PostedMessage) -> Self {
        let payload = said.message.payload.as_ref().map_or(empty(), raw);
        Self::of(said, Some(payload), Some(said.sender.is_active), true)
    }

    /// As on a page: a text has the payload `null`, the user has no `active`, and `extras` only if
    /// the app wants them (D-0204).
    pub fn loaded(said: &'a PostedMessage, shows_extras: bool) -> Self {
        Self::of(said, said.message.payload.as_ref().map(raw), None, shows_extras)
    }

    fn of(
        said: &'a PostedMessage,
        payload: Option<&'a RawValue>,
        active: Option<bool>,
        shows_extras: bool,
    ) -> Self {
        let PostedMessage { message, sender } = said;
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

/// The answer to a post.
pub fn posted(said: &PostedMessage) -> CommentBox<'_> {
    CommentBox { comment: Comment::posted(said) }
}

/// The answer to a load call.
pub fn loaded(page: &[Arc<PostedMessage>], shows_extras: bool) -> CommentList<'_> {
    CommentList { comments: page.iter().map(|said| Comment::loaded(said, shows_extras)).collect() }
}

/// The answer to a broadcast.
pub fn broadcast(said: &[PostedMessage]) -> CommentList<'_> {
    CommentList { comments: said.iter().map(Comment::posted).collect() }
}
