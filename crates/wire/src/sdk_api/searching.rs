//! What clients search for in their rooms (D-0048).

use confab_domain::ids::MessageId;
use confab_domain::limits;
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::{Room, RoomKind, RoomRef};
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{self, Filled, Text, field};
use crate::message_api::Page;
use crate::reading::Reading;
use crate::request::request;
use crate::sdk_api::comment::ClientComment;

request! {
    struct CommonFields {
        /// Only in these rooms.
        room_ids: fields::Rooms<0>, or vec![], also = "room_ids[]";
        /// Only in this room.
        room_id: Filled<fields::Room>, optional;
        /// `single` or `group`.
        room_type: ChatType, optional;
        /// Only messages before this one.
        last_comment_id: fields::MessageId, optional;
        /// Only what this user said.
        sender: Filled<Text>, optional;
        /// Only public channels, or none of them.
        is_public: fields::Flag, optional;
        page: Page, group;
    }
}

request! {
    /// `search`, `search_messages` and `file_list`: all of it may be absent but the query of a
    /// search.
    pub struct SearchFields as "ClientSearch" {
        /// A part of the text, in any case.
        query: SearchText, required, shown_as_required = false, example = "invoice";
        /// Only messages of this type, or of these types.
        r#type: AnyKinds, or vec![], also = "type[]";
        common: CommonFields, group;
    }
    unread {
        /// Of files: `image`, `video`, `audio`, `media` or `doc`; anything else means all.
        file_type: Text, optional;
        /// Of files: only those whose names end so.
        include_extensions: Endings, optional, also = "include_extensions[]";
        /// Of files: none whose names end so.
        exclude_extensions: Endings, optional, also = "exclude_extensions[]";
    }
}

request! {
    /// The same as it is read for `file_list`.
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

/// The answer of `search`, `search_messages` and `file_list`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClientFoundComments)]
pub struct FoundComments<'a> {
    /// Newest first.
    comments: Vec<ClientComment<'a>>,
    /// Which page of the matches, from 1.
    page: u64,
    /// How many matches a page has.
    limit: usize,
    /// How many matches were found before the search gave up.
    total: usize,
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
    page: Page,
    query: Option<String>,
    sender: Option<String>,
    /// Of any type if there are none.
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
    /// Reads a search for a text.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let SearchFields { query, r#type: kinds, common } = body.read()?;
        Ok(Self { query: Some(query), kinds, ..common.search() })
    }

    /// Reads a search for files.
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

    /// What is answered beside the matches, of which there are so many.
    pub fn found(&self, total: usize) -> FoundComments<'static> {
        let Page { number: page, size: limit } = self.page;
        FoundComments { comments: Vec::new(), page, limit, total }
    }

    /// Whether the room is one to look in.
    pub fn takes_room(&self, room: &Room) -> bool {
        let is_single = room.kind == RoomKind::Single;
        self.is_single.is_none_or(|wanted| wanted == is_single)
            && self.is_public.is_none_or(|wanted| wanted == (room.kind == RoomKind::Public))
    }

    /// Whether the message is one that is searched for.
    pub fn matches(&self, said: &PostedMessage) -> bool {
        let message = &said.message;
        (self.kinds.is_empty() || self.kinds.contains(&message.kind))
            && self.sender.as_deref().is_none_or(|sender| sender == said.sender.user_id.as_str())
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
    /// What is searched for, in small letters; blanks alone count as missing.
    SearchText -> String, fields::Short::<{ limits::SEARCH_CHARS_MAX }>::SHAPE;
    |reading, field, given| {
        let text = reading.short_text(field, given, limits::SEARCH_CHARS_MAX)?;
        Some(text).filter(|text| !text.trim().is_empty()).map(|text| text.to_lowercase())
    }
}

field! {
    /// Types of messages, system events included: a list or a single text; an empty text is none.
    AnyKinds -> Vec<MessageKind>, fields::Texts::SHAPE;
    |reading, field, given| {
        let texts = reading.texts(field, given)?;
        let named = texts.iter().filter(|text| !text.is_empty());
        let kinds: Option<Vec<_>> = named.map(|text| MessageKind::parse(text)).collect();
        kinds.or_else(|| reading.wrong(field, "must be a type of message, or a list of them"))
    }
}

field! {
    /// Whether single rooms are wanted, or only others.
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
    /// A kind of files; what makes no sense means all.
    FileType -> String;
    |_, field, given| Reading::default().filled_text(field, given)
}

field! {
    /// How names of files end, in small letters.
    Endings -> Vec<String>, fields::Texts::SHAPE;
    |reading, field, given| {
        let texts = reading.texts(field, given)?;
        // Some clients send one text with commas.
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
