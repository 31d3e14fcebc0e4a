//! Searches of clients for messages and files in their rooms (design/message-api).

use confab_domain::ids::MessageId;
use confab_domain::limits;
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::{Room, RoomKind, RoomRef};
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{self, NonEmpty, Text, field};
use crate::message_api::Page;
use crate::reading::FieldReader;
use crate::request::request;
use crate::sdk_api::comment::ClientComment;

request! {
    struct CommonFields {
        /// Rooms to search, by id or unique id.
        room_ids: fields::Rooms<0>, or vec![], also = "room_ids[]";
        /// Room to search, by id or unique id.
        room_id: NonEmpty<fields::Room>, optional;
        /// Kind of rooms to search: `single` or `group`.
        room_type: ChatType, optional;
        /// Id of a message; only older messages are returned.
        last_comment_id: fields::MessageId, optional;
        /// Id of the user whose messages are searched.
        sender: NonEmpty<Text>, optional;
        /// `true` to search only public channels, `false` to exclude them.
        is_public: fields::Flag, optional;
        page: Page, group;
    }
}

request! {
    /// Body of `search`, `search_messages` and `file_list`. All fields are optional, except for the
    /// query of a search.
    pub struct SearchFields as "ClientSearch" {
        /// Part of the text to find; case-insensitive.
        query: SearchText, required, shown_as_required = false, example = "invoice";
        /// Type of messages to return, or a list of types.
        r#type: AnyKinds, or vec![], also = "type[]";
        common: CommonFields, group;
    }
    unread {
        /// For `file_list`: `image`, `video`, `audio`, `media` or `doc`; any other value means all.
        file_type: Text, optional;
        /// For `file_list`: only files with these file name extensions.
        include_extensions: Endings, optional, also = "include_extensions[]";
        /// For `file_list`: no files with these file name extensions.
        exclude_extensions: Endings, optional, also = "exclude_extensions[]";
    }
}

request! {
    /// The fields of `file_list`, which ignores the query and the types of messages.
    struct FileListFields {
        include_extensions: Endings, or vec![], also = "include_extensions[]";
        exclude_extensions: Endings, or vec![], also = "exclude_extensions[]";
        file_type: FileType, optional;
        common: CommonFields, group;
    }
    unread {
        query: SearchText, optional;
        r#type: AnyKinds, optional, also = "type[]";
    }
}

/// The `results` object of `search`, `search_messages` and `file_list`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClientFoundComments)]
pub struct FoundComments<'a> {
    /// Comments, newest first.
    comments: Vec<ClientComment<'a>>,
    /// Page number of the matches, from 1.
    page: u64,
    /// Matches per page.
    limit: usize,
    /// Number of matches found before the search reached its limits.
    total: usize,
}

/// A search for messages or files.
#[derive(Debug)]
pub struct Search {
    /// Rooms to search; all rooms of the user if empty.
    pub rooms: Vec<RoomRef>,
    /// Id of a message; only older messages match.
    pub before: Option<MessageId>,
    /// Number of matches to skip.
    pub skipped: usize,
    /// Number of matches to return.
    pub size: usize,
    page: Page,
    query: Option<String>,
    sender: Option<String>,
    /// Types of messages to return; all types if empty.
    kinds: Vec<MessageKind>,
    is_single: Option<bool>,
    is_public: Option<bool>,
    files: Option<FileFilter>,
}

#[derive(Debug)]
struct FileFilter {
    kind: Option<String>,
    included: Vec<String>,
    excluded: Vec<String>,
}

impl Search {
    /// Parses a search for a text.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let SearchFields { query, r#type: kinds, common } = body.read()?;
        Ok(Self { query: Some(query), kinds, ..common.search() })
    }

    /// Parses a search for files.
    pub fn read_files(body: &Body<'_>) -> Result<Self, Refusal> {
        let fields: FileListFields = body.read()?;
        let files = FileFilter {
            kind: fields.file_type,
            included: fields.include_extensions,
            excluded: fields.exclude_extensions,
        };
        let kinds = vec![MessageKind::FileAttachment];
        Ok(Self { files: Some(files), kinds, ..fields.common.search() })
    }

    /// Returns the response without the matches, which the caller inserts. `total` is the number of
    /// matches on all pages.
    pub fn found(&self, total: usize) -> FoundComments<'static> {
        let Page { number: page, size: limit } = self.page;
        FoundComments { comments: Vec::new(), page, limit, total }
    }

    /// Whether a room is of the kind to search.
    pub fn takes_room(&self, room: &Room) -> bool {
        let is_single = room.kind == RoomKind::Single;
        self.is_single.is_none_or(|wanted| wanted == is_single)
            && self.is_public.is_none_or(|wanted| wanted == (room.kind == RoomKind::Public))
    }

    /// Whether a message meets all criteria of the search.
    pub fn matches(&self, posted: &PostedMessage) -> bool {
        let message = &posted.message;
        (self.kinds.is_empty() || self.kinds.contains(&message.kind))
            && self.sender.as_deref().is_none_or(|sender| sender == posted.sender.user_id.as_str())
            && self.files.as_ref().is_none_or(|files| files.take(message))
            && self.query.as_ref().is_none_or(|it| message.text.to_lowercase().contains(it))
    }
}

impl CommonFields {
    fn search(self) -> Search {
        let mut rooms = self.room_ids;
        rooms.extend(self.room_id);
        Search {
            rooms,
            before: self.last_comment_id,
            skipped: self.page.skipped() as usize,
            size: self.page.size,
            page: self.page,
            query: None,
            sender: self.sender,
            kinds: Vec::new(),
            is_single: self.room_type,
            is_public: self.is_public,
            files: None,
        }
    }
}

field! {
    /// The text to find, in lower case; a blank text counts as absent.
    SearchText -> String, fields::Short::<{ limits::SEARCH_CHARS_MAX }>::SHAPE;
    |reading, field, given| {
        let text = reading.short_text(field, given, limits::SEARCH_CHARS_MAX)?;
        Some(text).filter(|text| !text.trim().is_empty()).map(|text| text.to_lowercase())
    }
}

field! {
    /// Message types, including system events, as a list or a string; empty strings are ignored.
    AnyKinds -> Vec<MessageKind>, fields::Texts::SHAPE;
    |reading, field, given| {
        let texts = reading.texts(field, given)?;
        let named = texts.iter().filter(|text| !text.is_empty());
        let kinds: Option<Vec<_>> = named.map(|text| MessageKind::parse(text)).collect();
        kinds.or_else(|| reading.wrong(field, "must be a message type, or a list of message types"))
    }
}

field! {
    /// Kind of rooms to search: true for single rooms, false for all other rooms.
    ChatType -> bool;
    |reading, field, given| {
        match reading.filled_text(field, given)?.as_str() {
            "single" => Some(true),
            "group" | "channel" => Some(false),
            _ => None,
        }
    }
}

field! {
    /// Kind of files to find; an invalid value means all kinds.
    FileType -> String;
    |_, field, given| FieldReader::default().filled_text(field, given)
}

field! {
    /// File name extensions, in lower case.
    Endings -> Vec<String>, fields::Texts::SHAPE;
    |reading, field, given| {
        let texts = reading.texts(field, given)?;
        // Some clients send one string with commas.
        let endings = texts.iter().flat_map(|text| text.split(','));
        let endings = endings.map(|ending| ending.trim().to_lowercase());
        Some(endings.filter(|ending| !ending.is_empty()).collect())
    }
}

impl FileFilter {
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

/// Returns the file name extension in lower case. `text` is the displayed text of a file message,
/// which contains its URL.
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
    fn file_name_extensions_are_found_in_urls() {
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
    fn only_a_search_for_text_requires_a_query() {
        let read = |form: &str| Search::read(&Body::from_form(form.as_bytes()).expect("a form"));
        assert!(read("query=&room_id=&last_comment_id=").is_err());
        let search = read("query=Hi&room_id=&page=3&limit=10").expect("read");
        assert_eq!((search.rooms.len(), search.skipped, search.size), (0, 20, 10));
        let body = Body::from_json(b"{\"room_ids\":[\"1\"],\"include_extensions\":\"png,jpg\"}");
        let files = Search::read_files(&body.expect("JSON")).expect("read").files;
        assert_eq!(files.expect("files").included, ["png", "jpg"]);
    }
}
