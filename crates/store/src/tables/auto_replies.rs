//! Automatic replies: those of the app (channel 0), and those of single channels, which take
//! precedence.

use confab_domain::ids::{AppId, ChannelId, RoomId};
use confab_domain::support::automation::auto_reply::{AllAutoReplies, AutoReplies};

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, prepared, values};
use crate::store::Store;

/// Number that stands for the app itself in the column `channel`.
const APP: i64 = 0;

prepared! {
    AUTO_REPLIES = "SELECT channel, online_text, offline_text, is_online_if_resolved, \
        is_offline_each_message FROM auto_replies WHERE app = $1 ORDER BY channel";
    AUTO_REPLIES_IN_ROOM = "SELECT g.channel, g.online_text, g.offline_text, \
        g.is_online_if_resolved, g.is_offline_each_message FROM customer_rooms c \
        JOIN auto_replies g ON g.app = c.app AND (g.channel = c.channel OR g.channel = 0) \
        WHERE c.room = $1 AND c.app = $2";
    PUT_AUTO_REPLIES = "INSERT INTO auto_replies (app, channel, online_text, offline_text, \
        is_online_if_resolved, is_offline_each_message) VALUES ($1, $2, $3, $4, $5, $6) \
        ON CONFLICT (app, channel) DO UPDATE SET \
        online_text = COALESCE(excluded.online_text, auto_replies.online_text), \
        offline_text = COALESCE(excluded.offline_text, auto_replies.offline_text), \
        is_online_if_resolved = \
        COALESCE(excluded.is_online_if_resolved, auto_replies.is_online_if_resolved), \
        is_offline_each_message = \
        COALESCE(excluded.is_offline_each_message, auto_replies.is_offline_each_message)";
}

pub(crate) fn row(row: &ValueRow) -> Read<(i64, AutoReplies)> {
    let auto_replies = AutoReplies {
        online_text: row.maybe_text(1)?,
        offline_text: row.maybe_text(2)?,
        is_online_if_resolved: row.maybe_number(3)?.map(|it| it != 0),
        is_offline_each_message: row.maybe_number(4)?.map(|it| it != 0),
    };
    Ok((row.number(0)?, auto_replies))
}

/// Divides automatic replies into those of the app and those of its channels.
pub(crate) fn all(rows: Vec<(i64, AutoReplies)>) -> AllAutoReplies {
    let mut all = AllAutoReplies::default();
    for (channel, auto_replies) in rows {
        match channel {
            APP => all.of_app = auto_replies,
            _ => all.of_channels.push((ChannelId(channel), auto_replies)),
        }
    }
    all
}

/// Selects the automatic replies of an app and of all its channels.
pub(crate) fn of_app(app: AppId) -> Ask {
    Ask::new(&AUTO_REPLIES, values![app.0])
}

/// Selects the automatic replies of the app and of the channel to which a room belongs.
pub(crate) fn in_room(app: AppId, room: RoomId) -> Ask {
    Ask::new(&AUTO_REPLIES_IN_ROOM, values![room.0, app.0])
}

/// Writes automatic replies. A field that is `None` leaves the stored value unchanged.
pub(crate) fn put(app: AppId, channel: Option<ChannelId>, auto_replies: &AutoReplies) -> Vec<Ask> {
    let channel = channel.map_or(APP, |channel| channel.0);
    let values = values![
        app.0,
        channel,
        auto_replies.online_text.as_deref(),
        auto_replies.offline_text.as_deref(),
        auto_replies.is_online_if_resolved.map(i64::from),
        auto_replies.is_offline_each_message.map(i64::from),
    ];
    vec![Ask::new(&PUT_AUTO_REPLIES, values)]
}

impl Store {
    /// Returns the automatic replies of the app and of its channels.
    pub async fn auto_replies(&self, app: AppId) -> Read<AllAutoReplies> {
        let rows = self.query_now(of_app(app), row).await?;
        Ok(all(rows))
    }
}
