//! Lines of an export file, by their kind.

use confab_domain::json_check::check_moved_json;
use confab_domain::moving::moved::{
    MovedChannel, MovedMessage, MovedParticipant, MovedRoom, MovedSession, MovedUser,
};
use confab_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::shapes::{
    ChannelLine, HeadLine, MessageLine, ParticipantLine, RoomLine, SessionLine, UserLine,
};

/// Version of the file format. Files of another version are refused.
pub const FORMAT_VERSION: u32 = 1;

/// A parsed line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// The first line of a file, which identifies the export.
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
    /// The last line of a file: the number of lines of each kind.
    End(Counts),
}

/// Number of lines of each kind in an export file.
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
    /// Counts a line. The first and the last line are not counted.
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

/// The JSON structure of a line.
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

/// Parses a line. Fails with a problem if a value exceeds the limits of the API, or if a time is
/// later than `now`, apart from a tolerance for differing clocks.
pub fn read_line(text: &str, now: Timestamp) -> Result<Line, String> {
    check_moved_json(text)?;
    let written =
        serde_json::from_str(text).map_err(|error| format!("is not a line of an export: {error}"));
    Ok(match written? {
        WrittenLine::ConfabExport(head) if head.version != FORMAT_VERSION => {
            let version = head.version;
            return Err(format!(
                "has version {version}, but this version of Confab reads only {FORMAT_VERSION}"
            ));
        }
        WrittenLine::ConfabExport(head) => Line::Head { app: head.app, made_at: head.made_at },
        WrittenLine::Channel(it) => Line::Channel(it.moved()?),
        WrittenLine::User(it) => Line::User(it.moved(now)?),
        WrittenLine::Room(it) => Line::Room(it.moved(now)?),
        WrittenLine::Participant(it) => Line::Participant(it.moved(now)?),
        WrittenLine::Message(it) => Line::Message(it.moved(now)?),
        WrittenLine::Session(it) => Line::Session(it.moved(now)?),
        WrittenLine::End(counts) => Line::End(counts),
    })
}

/// Returns the bytes of a line, with its line break.
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
    let mut bytes = serde_json::to_vec(&written).expect("texts, numbers and checked JSON");
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
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// 2026-02-01
    const NOW: Timestamp = Timestamp(1_769_904_000_000_000);

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
    fn a_line_survives_a_round_trip_and_json_keeps_its_digits() {
        let line = Line::Message(message());
        let bytes = write_line(line.clone());
        let text = std::str::from_utf8(&bytes).expect("text");
        assert_eq!(text.matches('\n').count(), 1, "one line");
        assert!(text.contains(r#""payload":{"type":"x","content":1.50}"#), "{text}");
        assert!(text.contains(r#""posted_at":"2026-01-31T10:00:00.000120Z""#), "{text}");
        assert_eq!(read_line(text.trim_end(), NOW), Ok(line));
    }

    #[test]
    fn invalid_lines_and_newer_versions_are_refused() {
        let whole = String::from_utf8(write_line(Line::Message(message()))).expect("text");
        let cut = &whole[..whole.len() / 2];
        let odd = whole.replace("\"custom\"", "\"song\"");
        let more = whole.replace("\"room\":", "\"mood\":1,\"room\":");
        let long_ago = whole.replace("2026-01-31T10:00:00.000120Z", "long ago");
        let nul = whole.replace("a\\nb", "a\\u0000b");
        let newer = r#"{"confab_export":{"version":2,"app":"shop","made_at":"now"}}"#;
        for text in ["", "{}", "[]", "{\"user\":{}}", cut, &odd, &more, &long_ago, &nul, newer] {
            assert!(read_line(text.trim_end(), NOW).is_err(), "{text}");
        }
    }

    #[test]
    fn values_that_the_api_refuses_are_refused_in_a_line() {
        let user = |field: &str, value: &str| {
            let mut fields = serde_json::json!({
                "user": "ana", "username": "Ana", "avatar_url": "", "is_active": true,
                "created_at": "2026-01-31T10:00:00Z", "updated_at": "2026-01-31T10:00:00Z",
            });
            fields[field] = serde_json::from_str(value).expect("JSON");
            read_line(&serde_json::json!({"user": fields}).to_string(), NOW)
        };
        assert!(user("username", r#""Ana""#).is_ok());
        let long = format!("\"{}\"", "a".repeat(200_000));
        let wide = format!(r#"{{"x":"{}"}}"#, "a".repeat(70_000));
        for (field, value) in [
            ("username", &*long),
            ("username", r#""a\u001b[2J""#),
            ("avatar_url", r#""javascript:alert(1)""#),
            ("avatar_url", r#""JaVa\tscript:alert(1)""#),
            ("extras", &wide),
            ("extras", "[1]"),
            ("created_at", r#""9999-01-31T10:00:00Z""#),
            ("updated_at", r#""1969-12-31T23:59:59Z""#),
            ("user", r#""a/b""#),
        ] {
            assert!(user(field, value).is_err(), "{field}: {value}");
        }
    }

    #[test]
    fn a_message_has_the_length_limits_of_the_api() {
        let line = |kind: MessageKind, text: &str, payload: Option<&str>| {
            let payload = payload.map(JsonText::from_checked);
            let it = MovedMessage { kind, text: text.to_owned(), payload, ..message() };
            let line = String::from_utf8(write_line(Line::Message(it))).expect("text");
            read_line(line.trim_end(), NOW)
        };
        let many = |count: usize| "é".repeat(count);
        assert!(line(MessageKind::Text, &many(4000), None).is_ok());
        assert!(line(MessageKind::Text, &many(4001), None).is_err());
        let custom = |bytes: usize| format!(r#"{{"type":"x","content":"{}"}}"#, "a".repeat(bytes));
        assert!(line(MessageKind::Custom, "", Some(&custom(65_000))).is_ok());
        assert!(line(MessageKind::Custom, "", Some(&custom(1_000_000))).is_err());
        let run = r#"{"text":"t","buttons":[{"label":"l","type":"link",
            "payload":{"url":"javascript:alert(1)"}}]}"#
            .replace('\n', "");
        assert!(line(MessageKind::Buttons, "", Some(&run)).is_err());
        let person = format!(r#"{{"name":"{0}","value":"{0}"}}"#, "a".repeat(5_000));
        let shown = format!("{0} - {0}", "a".repeat(5_000));
        assert!(line(MessageKind::ContactPerson, &shown, Some(&person)).is_ok(), "as it is shown");
        assert!(line(MessageKind::ContactPerson, &shown[1..], Some(&person)).is_err());
        let reply = |bytes: usize| {
            let carried = "a".repeat(bytes);
            format!(
                r#"{{"text":"t","replied_comment_id":7,"replied_comment_message":"{carried}"}}"#
            )
        };
        assert!(line(MessageKind::Reply, "t", Some(&reply(130_000))).is_ok(), "as it is completed");
        assert!(line(MessageKind::Reply, "t", Some(&reply(200_000))).is_err());
    }

    #[test]
    fn a_payload_may_be_nested_as_deeply_as_a_stored_one() {
        let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        let line = |levels: usize| {
            let payload = format!(r#"{{"type":"x","content":{}}}"#, nested(levels));
            let payload = Some(JsonText::from_checked(payload));
            let line = write_line(Line::Message(MovedMessage { payload, ..message() }));
            read_line(std::str::from_utf8(&line).expect("text").trim_end(), NOW)
        };
        assert!(line(66).is_ok());
        assert!(line(80).is_err());
    }

    #[test]
    fn a_session_id_of_the_future_is_refused() {
        let session = |id: i64| {
            let time = "2026-01-31T10:00:00Z";
            let line = serde_json::json!({"session": {
                "room": "support", "id": id, "first_message": "a", "last_message": "a",
                "first_message_at": time, "created_at": time, "updated_at": time,
            }});
            read_line(&line.to_string(), NOW)
        };
        assert!(session(9).is_ok());
        assert!(session(0).is_err() && session((1 << 53) - 1).is_err());
    }

    #[test]
    fn the_long_unique_id_of_a_broadcast_is_accepted() {
        let id = |chars: usize| {
            let unique_id = UniqueId::from_stored("u".repeat(chars));
            let line = write_line(Line::Message(MovedMessage { unique_id, ..message() }));
            read_line(std::str::from_utf8(&line).expect("text").trim_end(), NOW)
        };
        assert!(id(128 + 1 + 255).is_ok());
        assert!(id(128 + 1 + 256).is_err());
    }

    /// Returns one line of each kind but the first.
    fn samples() -> Vec<String> {
        let time = "2026-01-31T10:00:00.000000Z";
        let lines = [
            serde_json::json!({"channel": {"id": 7, "kind": "custom", "name": "SMS"}}),
            serde_json::json!({"user": {
                "user": "ana", "channel": 7, "username": "Ana", "avatar_url": "https://a.example/b",
                "is_active": true, "created_at": time, "updated_at": time, "extras": {"a": [1.50]},
                "agent": "ana@x.example", "is_system": false,
            }}),
            serde_json::json!({"room": {
                "unique_id": "r", "kind": "group", "name": "R", "avatar_url": "", "options": "{}",
                "created_at": time, "updated_at": time, "service": {
                    "customer": "ana", "customer_channel": 7, "channel": 7, "extras": {},
                    "is_handled_by_bot": false, "is_left_to_people": false, "created_at": time,
                    "updated_at": time, "waits_since": time, "brand": "b", "badge_url": "/b",
                },
            }}),
            serde_json::json!({"participant": {
                "room": "r", "user": "ana", "channel": 7, "read_number": 1, "joined_at": time,
            }}),
            serde_json::json!({"message": {
                "room": "r", "unique_id": "u", "user": "ana", "type": "card", "text": "t",
                "posted_at": time, "extras": {}, "payload": {"text": "t", "buttons": [
                    {"label": "l", "type": "link", "payload": {"url": "https://a.example"}},
                ]},
            }}),
            serde_json::json!({"session": {
                "room": "r", "id": 9, "first_message": "u", "last_message": "u", "notes": "n",
                "first_message_at": time, "created_at": time, "updated_at": time, "rating": 3,
                "served_by": "ana@x.example", "taken_at": time, "resolved_at": time,
            }}),
            serde_json::json!({"end": Counts::default()}),
        ];
        lines.iter().map(serde_json::Value::to_string).collect()
    }

    /// Any printable characters, or characters of JSON syntax.
    const INSERTED: &str = "\\PC{0,8}|[\\x00-\\x20\"{}\\[\\],:0-9e-]{0,6}";

    proptest! {
        #[test]
        fn a_mutated_line_is_read_within_the_bounds_or_refused(
            sample in any::<prop::sample::Index>(),
            cuts in vec((any::<prop::sample::Index>(), 0usize..40, INSERTED), 1..4),
            grown in prop::option::of((any::<prop::sample::Index>(), 1usize..100_000)),
        ) {
            let mut text = sample.get(&samples()).clone();
            for (at, length, with) in cuts {
                let at = text.floor_char_boundary(at.index(text.len() + 1));
                let end = text.floor_char_boundary((at + length).min(text.len()));
                text.replace_range(at..end, &with);
            }
            if let Some((at, length)) = grown {
                let at = text.floor_char_boundary(at.index(text.len() + 1));
                text.insert_str(at, &"a".repeat(length));
            }
            if let Ok(line) = read_line(&text, NOW) {
                // An accepted line is within all limits, so it is accepted again when written.
                let written = write_line(line.clone());
                let written = std::str::from_utf8(&written).expect("text");
                prop_assert_eq!(read_line(written.trim_end(), NOW), Ok(line));
            }
        }
    }
}
