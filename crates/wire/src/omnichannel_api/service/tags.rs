//! Tags on rooms (wire facts 5.5).

use confab_domain::ids::RoomId;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::notice::Tag;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{Filled, IdText, Label, PageSize, Short, Within};
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

request! {
    /// `POST /api/v2/room_tags/{room}`
    pub struct RoomTagFields as "RoomTag" {
        /// The word.
        tag: Label<{ limits::LABEL_CHARS_MAX }>, required, example = "urgent";
    }
}

/// Reads a tag.
pub fn read_room_tag(body: &Body<'_>) -> Result<String, Refusal> {
    body.read().map(|fields: RoomTagFields| fields.tag)
}

request! {
    /// `GET /api/v2/tags`
    pub struct TagListFields {
        /// A part of the name.
        name: Filled<Short<{ limits::LABEL_CHARS_MAX }>>, optional;
        /// From 1 on.
        page: Within<1, { u32::MAX }>, or 1, default = || 1.into();
        /// How many on a page; 20 if absent, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
    }
}

/// Which tags are wanted.
#[derive(Debug, PartialEq, Eq)]
pub struct TagList {
    name: String,
    skipped: usize,
    size: usize,
}

impl TagList {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let TagListFields { name, page, limit: size } = query.read()?;
        let name = name.unwrap_or_default().to_lowercase();
        Ok(Self { name, skipped: (page as usize - 1).saturating_mul(size), size })
    }

    /// Those of these.
    pub fn of(&self, all: Vec<Tag>) -> Vec<Tag> {
        let found = all.into_iter().filter(|tag| tag.name.to_lowercase().contains(&self.name));
        found.skip(self.skipped).take(self.size).collect()
    }
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
