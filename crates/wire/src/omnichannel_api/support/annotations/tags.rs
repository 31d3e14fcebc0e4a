//! Tags on rooms (wire facts 5.5).

use confab_domain::ids::{RoomId, TagId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::annotations::tag::StoredTag;
use confab_domain::support::annotations::tag_keeping::ChangeTag;
use confab_domain::webhooks::event::Tag;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{
    Id, IdText, Label, NonEmpty, NonEmptyIfPresent, PageSize, Short, Within, field,
};
use crate::request::request;

request! {
    /// Body of `POST /api/v1/room_tag/create`.
    pub struct CreateTagFields as "CreateRoomTag" {
        /// Room id of the customer.
        room_id: IdText, required, example = "55";
        /// Name of the tag.
        tag: Label<{ limits::LABEL_CHARS_MAX }>, required, example = "urgent";
    }
}

/// Parses a room and a tag to add to it.
pub fn read_create_tag(body: &Body<'_>) -> Result<(RoomId, String), Refusal> {
    let CreateTagFields { room_id, tag } = body.read()?;
    Ok((RoomId(room_id), tag))
}

request! {
    /// Body of `POST /api/v2/room_tags/{room}`.
    pub struct RoomTagFields as "RoomTag" {
        /// Name of the tag.
        tag: Label<{ limits::LABEL_CHARS_MAX }>, required, example = "urgent";
    }
}

/// Parses the name of a tag.
pub fn read_room_tag(body: &Body<'_>) -> Result<String, Refusal> {
    body.read().map(|fields: RoomTagFields| fields.tag)
}

request! {
    /// Query of `GET /api/v2/tags`.
    pub struct TagListFields {
        /// Text that must occur in the name.
        name: NonEmpty<Short<{ limits::LABEL_CHARS_MAX }>>, optional;
        /// Page number, from 1.
        page: Within<1, { u32::MAX }>, or 1, default = || 1.into();
        /// Tags per page, default 20, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
    }
}

/// A request for one page of the app's tags.
#[derive(Debug, PartialEq, Eq)]
pub struct TagList {
    name: String,
    skipped: usize,
    size: usize,
}

impl TagList {
    /// Parses the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let TagListFields { name, page, limit: size } = query.read()?;
        let name = name.unwrap_or_default().to_lowercase();
        Ok(Self { name, skipped: (page as usize - 1).saturating_mul(size), size })
    }

    /// Returns the matching tags of this page.
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

/// Returns the public shape of a tag.
pub fn tag(tag: &Tag) -> TagShape<'_> {
    TagShape { id: tag.id.0, name: &tag.name }
}

/// Returns the public shapes of tags.
pub fn tags(tags: &[Tag]) -> Vec<TagShape<'_>> {
    tags.iter().map(tag).collect()
}

request! {
    /// Body of `PUT /api/v2/tags/{id}`. Absent fields keep their values.
    pub struct ChangeTagFields as "ChangeTag" {
        /// New name of the tag.
        name: NonEmptyIfPresent<Label<{ limits::LABEL_CHARS_MAX }>>, optional, example = "urgent";
        /// Color as `#rrggbb`; null removes it.
        colour: Colour, optional, example = "#d93025";
        /// Id of the tag that replaces the changed tag on all rooms. The changed tag is then
        /// deleted.
        merge_into: Id, optional;
    }
}

field! {
    /// A color; an empty string means absent.
    Colour -> String;
    |reading, field, given| {
        let text = reading.filled_text(field, given)?.to_ascii_lowercase();
        let digits = text.strip_prefix('#').unwrap_or_default();
        let is_colour = digits.len() == 6 && digits.bytes().all(|it| it.is_ascii_hexdigit());
        if is_colour { Some(text) } else { reading.wrong(field, "must be a color such as #d93025") }
    }
}

/// Parses the changes of a tag.
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
    /// Color as `#rrggbb`, if the tag has one.
    #[schema(example = "#d93025")]
    colour: Option<&'a str>,
    /// Number of rooms with this tag, at most 100,000.
    count: u64,
}

/// Returns a tag, and the number of rooms with it.
pub fn app_tag(it: &StoredTag, count: u64) -> AppTagShape<'_> {
    let StoredTag { tag, colour } = it;
    AppTagShape { id: tag.id.0, name: &tag.name, colour: colour.as_deref(), count }
}

/// Response data with one tag.
#[derive(Debug, Serialize, ToSchema)]
pub struct AppTagBox<'a> {
    pub tag: AppTagShape<'a>,
}
