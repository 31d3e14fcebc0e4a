//! What clients search for in their rooms (D-0048).

use confab_domain::ids::MessageId;
use confab_domain::limits;
use confab_domain::messages::message::{Message, Said};
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::{Room, RoomKind, RoomRef};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::reading::{Given, Reading};
use crate::sdk_api::messages::{read_message_id, read_rooms, read_size};

/// `search`, `search_messages` and `file_list`: all of it may be absent but the query of a search.
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientSearch)]
pub struct SearchFields<'a> {
    /// A part of the text, in any case.
    #[schema(value_type = Option<String>, example = "invoice", max_length = 255)]
    #[serde(borrow, default)]
    query: Given<'a>,
    /// Only in these rooms.
    #[schema(value_type = Option<Vec<String>>, max_items = 100)]
    #[serde(default, alias = "room_ids[]")]
    room_ids: Given<'a>,
    /// Only in this room.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    room_id: Given<'a>,
    /// Only what this user said.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    sender: Given<'a>,
    /// Only messages of this type.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    r#type: Given<'a>,
    /// `single` or `group`.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    room_type: Given<'a>,
    /// Only public channels, or none of them.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    is_public: Given<'a>,
    /// Only messages before this one.
    #[schema(value_type = Option<i64>)]
    #[serde(default)]
    last_comment_id: Given<'a>,
    /// Of files: `image`, `video`, `audio`, `media` or `doc`; anything else means all.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    file_type: Given<'a>,
    /// Of files: only those whose names end so.
    #[schema(value_type = Option<Vec<String>>)]
    #[serde(default, alias = "include_extensions[]")]
    include_extensions: Given<'a>,
    /// Of files: none whose names end so.
    #[schema(value_type = Option<Vec<String>>)]
    #[serde(default, alias = "exclude_extensions[]")]
    exclude_extensions: Given<'a>,
    /// From 1.
    #[schema(value_type = Option<i64>)]
    #[serde(default)]
    page: Given<'a>,
    /// Default 20, at most 100.
    #[schema(value_type = Option<i64>)]
    #[serde(default)]
    limit: Given<'a>,
}

/// What is searched for, and where.
#[derive(Debug)]
pub struct Search {
    /// Only in these rooms; everywhere if there are none.
    pub rooms: Vec<RoomRef>,
    /// Only messages before this one.
    pub before: Option<MessageId>,
    /// How many matches to leave out first.
    pub skipped: usize,
    /// How many to give.
    pub size: usize,
    query: Option<String>,
    sender: Option<String>,
    kind: Option<MessageKind>,
    is_single: Option<bool>,
    is_public: Option<bool>,
    files: Option<Files>,
}

#[derive(Debug)]
struct Files {
    kind: Option<String>,
    included: Vec<String>,
    excluded: Vec<String>,
}

impl Search {
    /// Reads a search for a text.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let (mut reading, fields) = (Reading::default(), body.fields::<SearchFields<'_>>()?);
        let query = reading.short_text("query", fields.query, limits::SEARCH_CHARS_MAX);
        let query = reading.needed("query", query.filter(|query| !query.trim().is_empty()));
        let kind = reading.filled_text("type", fields.r#type);
        let parsed = kind.as_deref().map(MessageKind::parse);
        if parsed == Some(None) {
            reading.wrong::<()>("type", "must be a type of message");
        }
        let query = query.map(|query| query.to_lowercase());
        let search = Self { query, kind: parsed.flatten(), ..common(&mut reading, &fields) };
        reading.finish().map(|()| search)
    }

    /// Reads a search for files.
    pub fn read_files(body: &Body<'_>) -> Result<Self, Refusal> {
        let (mut reading, fields) = (Reading::default(), body.fields::<SearchFields<'_>>()?);
        let mut endings = |field, given| {
            let texts = reading.texts(field, given).unwrap_or_default().into_iter();
            // Some clients send one text with commas.
            let texts = texts.flat_map(|text| {
                text.split(',').map(|one| one.trim().to_lowercase()).collect::<Vec<_>>()
            });
            texts.filter(|text| !text.is_empty()).collect::<Vec<_>>()
        };
        let files = Files {
            included: endings("include_extensions", fields.include_extensions),
            excluded: endings("exclude_extensions", fields.exclude_extensions),
            kind: Reading::default().filled_text("file_type", fields.file_type),
        };
        let search = common(&mut reading, &fields);
        let kind = Some(MessageKind::FileAttachment);
        reading.finish().map(|()| Self { files: Some(files), kind, ..search })
    }

    /// Whether the room is one to look in.
    pub fn takes_room(&self, room: &Room) -> bool {
        let is_single = room.kind == RoomKind::Single;
        self.is_single.is_none_or(|wanted| wanted == is_single)
            && self.is_public.is_none_or(|wanted| wanted == (room.kind == RoomKind::Channel))
    }

    /// Whether the message is one that is searched for.
    pub fn matches(&self, said: &Said) -> bool {
        let message = &said.message;
        self.kind.is_none_or(|kind| kind == message.kind)
            && self.sender.as_deref().is_none_or(|sender| sender == said.sender.user_id.as_str())
            && self.files.as_ref().is_none_or(|files| files.take(message))
            && self.query.as_ref().is_none_or(|it| message.text.to_lowercase().contains(it))
    }
}

fn common(reading: &mut Reading, fields: &SearchFields<'_>) -> Search {
    let mut rooms = read_rooms(reading, "room_ids", fields.room_ids).unwrap_or_default();
    let room = reading.key("room_id", fields.room_id).filter(|text| !text.is_empty());
    let room = room.and_then(|text| reading.check(RoomRef::parse("room_id", &text)));
    rooms.extend(room);
    let is_single = match reading.filled_text("room_type", fields.room_type).as_deref() {
        Some("single") => Some(true),
        Some("group" | "channel") => Some(false),
        _ => None,
    };
    let (field, given) = ("last_comment_id", fields.last_comment_id);
    let before = read_message_id(reading, field, given);
    let size = read_size(fields.limit, limits::PAGE_DEFAULT);
    let page = Reading::default().integer("page", fields.page).unwrap_or(1).max(1) as usize;
    Search {
        rooms,
        before,
        skipped: (page - 1).saturating_mul(size),
        size,
        query: None,
        sender: reading.filled_text("sender", fields.sender),
        kind: None,
        is_single,
        is_public: reading.boolean("is_public", fields.is_public),
        files: None,
    }
}

impl Files {
    fn take(&self, message: &Message) -> bool {
        let ending = ending(&message.text);
        let is_of = |endings: &[&str]| endings.contains(&ending.as_str());
        let is_media = || is_of(&IMAGES) || is_of(&VIDEOS) || is_of(&AUDIOS);
        let is_kind = match self.kind.as_deref() {
            Some("image") => is_of(&IMAGES),
            Some("video") => is_of(&VIDEOS),
            Some("audio") => is_of(&AUDIOS),
            Some("media") => is_media(),
            Some("doc" | "document") => !is_media(),
            _ => true,
        };
        let named = |endings: &[String]| endings.iter().any(|it| it.trim_matches('.') == ending);
        is_kind && (self.included.is_empty() || named(&self.included)) && !named(&self.excluded)
    }
}

const IMAGES: [&str; 8] = ["png", "jpg", "jpeg", "gif", "webp", "heic", "bmp", "svg"];
const VIDEOS: [&str; 6] = ["mp4", "mov", "webm", "mkv", "avi", "3gp"];
const AUDIOS: [&str; 6] = ["mp3", "wav", "ogg", "m4a", "aac", "flac"];

/// How the name of the file ends, in lower case: a file is shown by its address.
fn ending(text: &str) -> String {
    let url = text.trim_start_matches("[file] ").trim_end_matches(" [/file]");
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_of_addresses_are_found() {
        let cases = [
            ("[file] https://x.example/a/b.PNG [/file]", "png"),
            ("[file] https://x.example/a.b/c?d=e.jpg [/file]", ""),
            ("[file] https://x.example/c.tar.gz#x [/file]", "gz"),
        ];
        for (text, expected) in cases {
            assert_eq!(ending(text), expected, "{text}");
        }
    }

    #[test]
    fn a_search_needs_a_query_and_a_list_of_files_does_not() {
        let read = |form: &str| Search::read(&Body::from_form(form.as_bytes()).expect("a form"));
        assert!(read("query=&room_id=&last_comment_id=").is_err());
        let search = read("query=Hi&room_id=&page=3&limit=10").expect("read");
        assert_eq!((search.rooms.len(), search.skipped, search.size), (0, 20, 10));
        let body = Body::from_json(b"{\"room_ids\":[\"1\"],\"include_extensions\":\"png,jpg\"}");
        let files = Search::read_files(&body.expect("JSON")).expect("read").files;
        assert_eq!(files.expect("files").included, ["png", "jpg"]);
    }
}
