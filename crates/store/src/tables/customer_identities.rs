//! Ids that providers gave to customers (design/channels).

use confab_domain::channels::identity::Identity;
use confab_domain::ids::{ChannelId, UserKey};
use confab_domain::people::user::UserId;
use confab_domain::time::Timestamp;

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

prepared! {
    PUT_IDENTITY = "INSERT INTO customer_identities \
        (channel, external_id, kind, customer, heard_at) VALUES ($1, $2, $3, $4, $5) \
        ON CONFLICT (channel, external_id) DO UPDATE SET customer = excluded.customer, \
        kind = excluded.kind, \
        heard_at = CASE WHEN excluded.heard_at > customer_identities.heard_at \
        THEN excluded.heard_at ELSE customer_identities.heard_at END";
    FORGET_IDENTITIES = "DELETE FROM customer_identities WHERE customer = $1";
}

statements! {
    KNOWN_AS = "SELECT u.user_id FROM customer_identities i JOIN users u ON u.id = i.customer \
        WHERE i.channel = $1 AND i.external_id = $2";
    // The identity last written from comes first.
    IDENTITIES = "SELECT kind, external_id FROM customer_identities \
        WHERE customer = $1 AND channel = $2 ORDER BY heard_at DESC, external_id";
}

pub(crate) fn put(
    channel: ChannelId,
    identity: &Identity,
    customer: UserKey,
    at: Timestamp,
) -> Vec<Ask> {
    let Identity { kind, external_id } = identity;
    vec![Ask::new(&PUT_IDENTITY, values![channel.0, external_id, kind, customer.0, at])]
}

pub(crate) fn delete(customer: UserKey) -> Ask {
    Ask::new(&FORGET_IDENTITIES, values![customer.0])
}

impl Store {
    /// Returns the customer to whom the channel's provider gave this id.
    pub async fn user_id_of(&self, channel: ChannelId, external_id: &str) -> Read<Option<UserId>> {
        let ask = Ask::new(&KNOWN_AS, values![channel.0, external_id]);
        let read = |row: &ValueRow| Ok(UserId::from_stored(row.text(0)?));
        Ok(self.query_now(ask, read).await?.pop())
    }

    /// Returns the ids that the channel's provider gave to a customer, the most recently used one
    /// first.
    pub async fn identities(&self, channel: ChannelId, customer: UserKey) -> Read<Vec<Identity>> {
        let ask = Ask::new(&IDENTITIES, values![customer.0, channel.0]);
        let read = |row: &ValueRow| Ok(Identity { kind: row.text(0)?, external_id: row.text(1)? });
        self.query_now(ask, read).await
    }
}
