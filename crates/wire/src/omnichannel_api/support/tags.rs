//! Tags on rooms (wire facts 5.5).

use confab_domain::ids::{RoomId, TagId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::tag::StoredTag;
use confab_domain::support::tag_keeping::ChangeTag;
use confab_domain::webhooks::event::Tag;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{Filled, Id, IdText, Label, NotEmptied, PageSize, Short, Within, field};
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
    pub fn of(&self, all: Vec<StoredTag>) -> Vec<StoredTag> {
        let found = all.into_iter().filter(|it| it.tag.name.to_lowercase().contains(&self.name));
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

request! {
    /// `PUT /api/v2/tags/{id}`: what is absent stays
    pub struct ChangeTagFields as "ChangeTag" {
        /// What it is called.
        name: NotEmptied<Label<{ limits::LABEL_CHARS_MAX }>>, optional, example = "urgent";
        /// `#rrggbb`; null takes it away.
        colour: Colour, optional, example = "#d93025";
        /// Rooms that have the tag have this one from now on, and the tag is gone.
        merge_into: Id, optional;
    }
}

field! {
    /// A colour; an empty text counts as missing.
    Colour -> String;
    |reading, field, given| {
        let text = reading.filled_text(field, given)?.to_ascii_lowercase();
        let digits = text.strip_prefix('#').unwrap_or_default();
        let is_colour = digits.len() == 6 && digits.bytes().all(|it| it.is_ascii_hexdigit());
        if is_colour { Some(text) } else { reading.wrong(field, "must be like #d93025") }
    }
}

/// Reads how a tag changes.
pub fn read_change_of_tag(tag: TagId, body: &Body<'_>) -> Result<ChangeTag, Refusal> {
    let is_bare = body.given::<ChangeTagFields>()?.is_null("colour");
    let ChangeTagFields { name, colour, merge_into } = body.read()?;
    let colour = colour.map(Some).or_else(|| is_bare.then_some(None));
    Ok(ChangeTag { tag, name, colour, merge_into: merge_into.map(TagId) })
}

/// A tag of the app.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AppTag)]
pub struct AppTagShape<'a> {
    id: i64,
    name: &'a str,
    /// `#rrggbb`
    #[schema(example = "#d93025")]
    colour: Option<&'a str>,
    /// On how many rooms it is; at most 100,000 are counted.
    count: u64,
}

/// A tag of the app, and on how many rooms it is.
pub fn app_tag(it: &StoredTag, count: u64) -> AppTagShape<'_> {
    let StoredTag { tag, colour } = it;
    AppTagShape { id: tag.id.0, name: &tag.name, colour: colour.as_deref(), count }
}

/// `{tag}`
#[derive(Debug, Serialize, ToSchema)]
pub struct AppTagBox<'a> {
    pub tag: AppTagShape<'a>,
}
