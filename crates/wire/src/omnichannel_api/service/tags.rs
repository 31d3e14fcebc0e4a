//! Tags on rooms (wire facts 5.5).

use confab_domain::ids::RoomId;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::notice::Tag;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{IdText, Label};
use crate::request::request;

request! {
    /// `POST /api/v1/room_tag/create`
    pub struct CreateTagFields as "CreateRoomTag" {
        /// The customer's room.
        room_id: IdText, required, example = "55";
        /// The word.
        tag: Label<{ limits::LABEL_CHARS_MAX }>, required, example = "urgent";
    }
}

/// Reads a tag for a room.
pub fn read_create_tag(body: &Body<'_>) -> Result<(RoomId, String), Refusal> {
    let CreateTagFields { room_id, tag } = body.read()?;
    Ok((RoomId(room_id), tag))
}

/// A tag.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Tag)]
pub struct TagShape<'a> {
    id: i64,
    name: &'a str,
}

/// One tag.
pub fn tag(tag: &Tag) -> TagShape<'_> {
    TagShape { id: tag.id.0, name: &tag.name }
}

/// Tags.
pub fn tags(tags: &[Tag]) -> Vec<TagShape<'_>> {
    tags.iter().map(tag).collect()
}
