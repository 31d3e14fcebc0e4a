//! Parses topics and filters (wire facts 4.4). No topics exist other than those of [`Topic`].

use confab_domain::ids::{ID_END, RoomId};
use confab_domain::people::user::UserId;

/// A parsed topic or filter, before any permission check. No `Debug`: the token is a secret.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Topic {
    /// `{token}/c`, `/n`, `/update`: events of the token's user.
    Own { token: String, what: OwnTopic },
    /// `{app}/{uniqueId}/c`: messages of a public channel.
    Channel { app: String, unique_id: String },
    /// `r/{room}/{room}/{user}/t`, `/d`, `/r`: typing and receipts in a room. `+` stands for all
    /// users.
    InRoom { room: RoomId, user: Option<UserId>, what: InRoom },
    /// `r/{room}/{room}/e`: custom events between clients.
    Custom { room: RoomId },
    /// `r/{room}/typing`: an assistant is typing.
    Assistant { room: RoomId },
    /// `u/{user}/s`: whether a user is online.
    Presence { user: UserId },
}

/// Kinds of events on a user's own topics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnTopic {
    /// `c`: new messages.
    Messages,
    /// `n`: deleted messages, cleared rooms.
    Notifications,
    /// `update`: edited messages.
    Edits,
}

/// Kinds of events on a room's topics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InRoom {
    /// `t`: typing.
    Typing,
    /// `d`: positions up to which users have received messages.
    Received,
    /// `r`: positions up to which users have read messages.
    Read,
}

impl InRoom {
    pub(super) fn letter(self) -> char {
        match self {
            Self::Typing => 't',
            Self::Received => 'd',
            Self::Read => 'r',
        }
    }
}

impl Topic {
    /// Parses a filter, or the topic of a PUBLISH, which is a filter without wildcards. Returns
    /// `None` if no such topic exists.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let parts: Vec<_> = text.split('/').collect();
        Some(match parts[..] {
            ["u", user, "s"] => Self::Presence { user: user_id(user)? },
            ["r", room, "typing"] => Self::Assistant { room: room_id(room)? },
            ["r", room, again, "e"] if again == room => Self::Custom { room: room_id(room)? },
            ["r", room, again, user, what] if again == room || again == "+" => Self::InRoom {
                room: room_id(room)?,
                user: if user == "+" { None } else { Some(user_id(user)?) },
                what: match what {
                    "t" => InRoom::Typing,
                    "d" => InRoom::Received,
                    "r" => InRoom::Read,
                    _ => return None,
                },
            },
            [token, what] => Self::Own {
                token: plain(token)?.to_owned(),
                what: match what {
                    "c" => OwnTopic::Messages,
                    "n" => OwnTopic::Notifications,
                    "update" => OwnTopic::Edits,
                    _ => return None,
                },
            },
            // A channel's unique id may contain slashes.
            [app, _, .., "c"] => {
                let unique_id = &text[app.len() + 1..text.len() - 2];
                let (app, unique_id) = (plain(app)?.to_owned(), plain(unique_id)?.to_owned());
                Self::Channel { app, unique_id }
            }
            _ => return None,
        })
    }

    /// Whether the topic contains a token, which signs the connection in.
    pub(super) fn is_own(&self) -> bool {
        matches!(self, Self::Own { .. })
    }
}

fn room_id(text: &str) -> Option<RoomId> {
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let id = text.parse().ok().filter(|id| is_number && (1..ID_END).contains(id))?;
    // Only the canonical form of a number is accepted, so that subscribed and published topics
    // match.
    (text == id.to_string()).then_some(RoomId(id))
}

fn user_id(text: &str) -> Option<UserId> {
    UserId::parse("user", text).ok()
}

fn plain(text: &str) -> Option<&str> {
    Some(text).filter(|it| !it.is_empty() && !it.contains(['+', '#']))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a topic and describes it in words.
    fn read(text: &str) -> String {
        match Topic::parse(text) {
            None => "nothing".to_owned(),
            Some(Topic::Own { token, what }) => format!("{what:?} of {token}"),
            Some(Topic::Channel { app, unique_id }) => format!("channel {unique_id} of {app}"),
            Some(Topic::InRoom { room, user, what }) => {
                let user = user.map_or("anybody".to_owned(), |it| it.as_str().to_owned());
                format!("{what:?} of {user} in {room}")
            }
            Some(Topic::Custom { room }) => format!("custom in {room}"),
            Some(Topic::Assistant { room }) => format!("assistant in {room}"),
            Some(Topic::Presence { user }) => format!("presence of {}", user.as_str()),
        }
    }

    #[test]
    fn every_topic_of_the_sdks_is_parsed() {
        for (text, meaning) in [
            ("abc/c", "Messages of abc"),
            ("abc/n", "Notifications of abc"),
            ("abc/update", "Edits of abc"),
            ("shop/news/c", "channel news of shop"),
            ("shop/news/of/today/c", "channel news/of/today of shop"),
            ("r/55/55/ana/t", "Typing of ana in 55"),
            ("r/55/55/+/t", "Typing of anybody in 55"),
            ("r/55/+/+/d", "Received of anybody in 55"),
            ("r/55/+/+/r", "Read of anybody in 55"),
            ("r/55/55/e", "custom in 55"),
            ("r/55/typing", "assistant in 55"),
            ("u/ana@shop.example/s", "presence of ana@shop.example"),
        ] {
            assert_eq!(read(text), meaning, "{text}");
        }
    }

    #[test]
    fn other_topics_are_rejected() {
        for text in [
            "",
            "/",
            "#",
            "+",
            "+/c",
            "#/c",
            "abc/x",
            "abc/#",
            "/c",
            "abc/+",
            "r/+/+/+/t",
            "r/55/56/ana/t",
            "r/55/55/ana/x",
            "r/55/55/#",
            "r/x/x/ana/t",
            "r/055/055/ana/t",
            "r/55/+/e",
            "r/-1/-1/e",
            "r/99999999999999999999/typing",
            "u/+/s",
            "u/#",
            "u//s",
            "u/a b/s",
            "shop/+/c",
            "shop/c/",
            "$SYS/broker/uptime",
            "r/55/55/ana/t/t",
        ] {
            assert_eq!(read(text), "nothing", "{text}");
        }
    }
}
