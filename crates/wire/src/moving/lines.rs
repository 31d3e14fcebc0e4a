//! Lines of an export file.

use confab_domain::moving::moved::{
    MovedChannel, MovedMessage, MovedParticipant, MovedRoom, MovedSession, MovedUser,
};
use serde::{Deserialize, Serialize};

use super::shapes::{
    ChannelLine, HeadLine, MessageLine, ParticipantLine, RoomLine, SessionLine, UserLine,
};
use crate::json_check::check_json;

/// Version of the file format; files of other versions are refused.
pub const FORMAT_VERSION: u32 = 1;

/// A line of an export file, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// First line.
    Head {
        /// Code of the exported app.
        app: String,
        made_at: String,
    },
    Channel(MovedChannel),
    User(MovedUser),
    Room(MovedRoom),
    Participant(MovedParticipant),
    Message(MovedMessage),
    Session(MovedSession),
    /// Last line.
    End(Counts),
}

/// Number of lines of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    pub channels: u64,
    pub users: u64,
    pub rooms: u64,
    pub participants: u64,
    pub messages: u64,
    pub sessions: u64,
}

impl Counts {
    /// Counts a line.
    pub fn count(&mut self, line: &Line) {
        match line {
            Line::Head { .. } | Line::End(_) => {}
            Line::Channel(_) => self.channels += 1,
            Line::User(_) => self.users += 1,
            Line::Room(_) => self.rooms += 1,
            Line::Participant(_) => self.participants += 1,
            Line::Message(_) => self.messages += 1,
            Line::Session(_) => self.sessions += 1,
        }
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { channels, users, rooms, participants, messages, sessions } = self;
        write!(
            f,
            "{channels} channels, {users} users, {rooms} rooms, {participants} participants, \
             {messages} messages, {sessions} sessions"
        )
    }
}

/// A line in the format of the file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WrittenLine {
    ConfabExport(HeadLine),
    Channel(ChannelLine),
    User(UserLine),
    Room(RoomLine),
    Participant(ParticipantLine),
    Message(MessageLine),
    Session(SessionLine),
    End(Counts),
}

/// Reads a line. The error is a predicate, shown after the line's number.
pub fn read_line(text: &str) -> Result<Line, String> {
    check_json(text)?;
    let written =
        serde_json::from_str(text).map_err(|error| format!("is not a valid line: {error}"));
    Ok(match written? {
        WrittenLine::ConfabExport(head) if head.version != FORMAT_VERSION => {
            let version = head.version;
            return Err(format!(
                "has format version {version}; this program reads version {FORMAT_VERSION}"
            ));
        }
        WrittenLine::ConfabExport(head) => Line::Head { app: head.app, made_at: head.made_at },
        WrittenLine::Channel(it) => Line::Channel(it.try_into()?),
        WrittenLine::User(it) => Line::User(it.try_into()?),
        WrittenLine::Room(it) => Line::Room(it.try_into()?),
        WrittenLine::Participant(it) => Line::Participant(it.try_into()?),
        WrittenLine::Message(it) => Line::Message(it.try_into()?),
        WrittenLine::Session(it) => Line::Session(it.try_into()?),
        WrittenLine::End(counts) => Line::End(counts),
    })
}

/// Serializes a line, including its line break.
pub fn write_line(line: Line) -> Vec<u8> {
    let written = match line {
        Line::Head { app, made_at } => {
            WrittenLine::ConfabExport(HeadLine { version: FORMAT_VERSION, app, made_at })
        }
        Line::Channel(it) => WrittenLine::Channel(it.into()),
        Line::User(it) => WrittenLine::User(it.into()),
        Line::Room(it) => WrittenLine::Room(it.into()),
        Line::Participant(it) => WrittenLine::Participant(it.into()),
        Line::Message(it) => WrittenLine::Message(it.into()),
        Line::Session(it) => WrittenLine::Session(it.into()),
        Line::End(counts) => WrittenLine::End(counts),
    };
    let mut bytes =
        serde_json::to_vec(&written).expect("lines contain only texts, numbers and checked JSON");
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use confab_domain::ids::ChannelId;
    use confab_domain::json_text::JsonText;
    use confab_domain::messages::message_kind::MessageKind;
    use confab_domain::messages::unique_id::UniqueId;
    use confab_domain::moving::moved::MovedName;
    use confab_domain::people::user::UserId;
    use confab_domain::rooms::room::RoomUniqueId;
    use confab_domain::time::Timestamp;

    use super::*;

    fn message() -> MovedMessage {
        MovedMessage {
            room: RoomUniqueId::from_trusted("support".to_owned()),
            unique_id: UniqueId::from_stored("tmp-1".to_owned()),
            sender: MovedName {
                user: UserId::from_stored("ana".to_owned()),
                channel: Some(ChannelId(7)),
            },
            kind: MessageKind::Custom,
            text: "a\nb \u{2028} \"c\"".to_owned(),
            payload: Some(JsonText::from_checked(r#"{"type":"x","content":1.50}"#)),
            extras: None,
            posted_at: Timestamp(1_769_853_600_000_120),
            is_deleted: false,
        }
    }

    #[test]
    fn lines_survive_a_round_trip_and_json_keeps_its_digits() {
        let line = Line::Message(message());
        let bytes = write_line(line.clone());
        let text = std::str::from_utf8(&bytes).expect("text");
        assert_eq!(text.matches('\n').count(), 1, "one line");
        assert!(text.contains(r#""payload":{"type":"x","content":1.50}"#), "{text}");
        assert!(text.contains(r#""posted_at":"2026-01-31T10:00:00.000120Z""#), "{text}");
        assert_eq!(read_line(text.trim_end()), Ok(line));
    }

    #[test]
    fn invalid_lines_are_refused_with_a_reason() {
        let whole = String::from_utf8(write_line(Line::Message(message()))).expect("text");
        let cut = &whole[..whole.len() / 2];
        let odd = whole.replace("\"custom\"", "\"song\"");
        let more = whole.replace("\"room\":", "\"mood\":1,\"room\":");
        let long_ago = whole.replace("2026-01-31T10:00:00.000120Z", "long ago");
        let nul = whole.replace("a\\nb", "a\\u0000b");
        let newer = r#"{"confab_export":{"version":2,"app":"shop","made_at":"now"}}"#;
        for text in ["", "{}", "[]", "{\"user\":{}}", cut, &odd, &more, &long_ago, &nul, newer] {
            assert!(read_line(text.trim_end()).is_err(), "{text}");
        }
    }
}
