//! Channels, and the secrets that identify returning visitors of the widget.

use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::ids::{AppId, ChannelId};
use confab_domain::people::user::{Realm, User, UserId};

use crate::error::Read;
use crate::secrets::sealer::{Sealer, SecretLocation};
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

/// Columns of a channel `ch`. The last one is the phone number of a WhatsApp account in readable
/// form, from the setting `username`.
macro_rules! channel_columns {
    () => {
        "ch.id, ch.app, ch.kind, ch.name, ch.is_active, ch.identifier_key, ch.webhook_url, \
         ch.logo_url, ch.created_at, ch.updated_at, ch.deleted_at, \
         (SELECT cs.value FROM channel_settings cs \
         WHERE cs.channel = ch.id AND cs.name = 'username' AND ch.kind = 'wa')"
    };
}
pub(crate) use channel_columns;

prepared! {
    CHANNELS = concat!("SELECT ", channel_columns!(), " FROM channels ch \
        WHERE ch.app = $1 AND ch.deleted_at IS NULL ORDER BY ch.id");
    CHANNEL = concat!("SELECT ", channel_columns!(), " FROM channels ch \
        WHERE ch.id = $1 AND ch.app = $2 AND ch.deleted_at IS NULL");
    PUT_CHANNEL = "INSERT INTO channels (id, app, kind, name, is_active, identifier_key, \
        webhook_url, logo_url, created_at, updated_at, deleted_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, is_active = excluded.is_active, \
        identifier_key = excluded.identifier_key, webhook_url = excluded.webhook_url, \
        logo_url = excluded.logo_url, updated_at = excluded.updated_at, \
        deleted_at = excluded.deleted_at";
    VISITOR_SECRET = "SELECT hash FROM visitor_secrets WHERE channel = $1 AND user_id = $2";
    FORGET_VISITOR_SECRET = "DELETE FROM visitor_secrets WHERE channel = $1 AND user_id = $2";
    PUT_VISITOR_SECRET = "INSERT INTO visitor_secrets (channel, user_id, hash) \
        VALUES ($1, $2, $3) ON CONFLICT (channel, user_id) DO UPDATE SET hash = excluded.hash";
}

pub(crate) fn row(row: &ValueRow, sealer: &Sealer) -> Read<Channel> {
    let id = row.number(0)?;
    Ok(Channel {
        id: ChannelId(id),
        app: AppId(row.number(1)?),
        kind: row.known(2, "kind of channel", ChannelKind::parse)?,
        name: row.text(3)?,
        is_active: row.flag(4)?,
        identifier_key: sealer.open_text(SecretLocation::ChannelKey(id), row.word(5)?)?,
        webhook_url: row.maybe_text(6)?,
        logo_url: row.maybe_text(7)?,
        created_at: row.time(8)?,
        updated_at: row.time(9)?,
        deleted_at: row.maybe_time(10)?,
        phone: row.maybe_word(11)?.map(digits).unwrap_or_default(),
    })
}

fn digits(number: &str) -> String {
    number.chars().filter(char::is_ascii_digit).collect()
}

pub(crate) fn put(channel: &Channel, sealer: &Sealer) -> Vec<Ask> {
    let Channel { id, app, kind, name, is_active, identifier_key, .. } = channel;
    let values = values![
        id.0,
        app.0,
        kind.as_str(),
        name,
        *is_active,
        sealer.seal(SecretLocation::ChannelKey(id.0), identifier_key),
        channel.webhook_url.as_deref(),
        channel.logo_url.as_deref(),
        channel.created_at,
        channel.updated_at,
        channel.deleted_at,
    ];
    vec![Ask::new(&PUT_CHANNEL, values)]
}

/// Deletes the secret that identifies a returning visitor of the widget, so that it no longer
/// resolves to this customer.
pub(crate) fn delete_visitor_secret(user: &User) -> Option<Ask> {
    let Realm::Channel(channel) = user.realm else { return None };
    Some(Ask::new(&FORGET_VISITOR_SECRET, values![channel.0, user.user_id.as_str()]))
}

pub(crate) fn set_visitor_secret(channel: ChannelId, user: &UserId, hash: &str) -> Vec<Ask> {
    vec![Ask::new(&PUT_VISITOR_SECRET, values![channel.0, user.as_str(), hash])]
}

statements! {
    // Includes deleted channels.
    CHANNEL_NAME = "SELECT name FROM channels WHERE id = $1 AND app = $2";
}

impl Store {
    /// Returns the name of a channel of the app, even of a deleted one.
    pub async fn channel_name(&self, app: AppId, channel: ChannelId) -> Read<Option<String>> {
        let ask = Ask::new(&CHANNEL_NAME, values![channel.0, app.0]);
        Ok(self.query_now(ask, |row| row.text(0)).await?.pop())
    }

    /// Returns the app's channels, oldest first.
    pub async fn channels(&self, app: AppId) -> Read<Vec<Channel>> {
        let ask = Ask::new(&CHANNELS, values![app.0]);
        self.query_now(ask, |row| self::row(row, self.sealer())).await
    }
}
