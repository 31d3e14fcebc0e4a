//! Tags on rooms (wire facts 5.5).

use confab_domain::ids::RoomId;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::notice::Tag;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{read_needed_id, read_needed_text};
use crate::body::Body;
use crate::reading::{Given, Reading};

/// `POST /api/v1/room_tag/create`
#[derive(Deserialize, ToSchema)]
#[schema(as = CreateRoomTag)]
pub struct CreateTagFields<'a> {
    /// The customer's room.
    #[schema(value_type = String, required = true, example = "55")]
    #[serde(borrow, default)]
    room_id: Given<'a>,
    /// The word.
    #[schema(value_type = String, required = true, max_length = 100, example = "urgent")]
    #[serde(default)]
    tag: Given<'a>,
}

/// Reads a tag for a room.
pub fn read_create_tag(body: &Body<'_>) -> Result<(RoomId, String), Refusal> {
    let fields: CreateTagFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let room = read_needed_id(&mut reading, "room_id", fields.room_id);
    let tag = read_needed_text(&mut reading, "tag", fields.tag, limits::LABEL_CHARS_MAX);
    let (Some(room), Some(tag)) = (room, tag) else { return Err(reading.refusal()) };
    reading.finish()?;
    Ok((RoomId(room), tag))
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
