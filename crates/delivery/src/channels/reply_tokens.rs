//! LINE's reply tokens, with which a customer can be answered once, free of charge, soon after they
//! wrote (channel facts 4.3).
//!
//! Tokens are kept in memory only. Without one, after a restart or on another node, the message is
//! pushed instead.

use std::collections::HashMap;

use confab_domain::ids::{ChannelId, DeliveryId};
use confab_domain::limits;
use confab_domain::time::Timestamp;
use parking_lot::Mutex;

/// The newest token of each customer. Not `Debug`, because tokens are secrets.
#[derive(Default)]
pub struct ReplyTokens(Mutex<HashMap<(ChannelId, String), Held>>);

struct Held {
    token: String,
    /// Time of the customer's message.
    at: Timestamp,
    used_by: Option<DeliveryId>,
}

impl Held {
    fn is_younger(&self, now: Timestamp, seconds: i64) -> bool {
        now.0.saturating_sub(self.at.0) < seconds * 1_000_000
    }
}

impl ReplyTokens {
    /// Stores the token of a customer's event, unless it is already stored or older than the stored
    /// one.
    pub fn put(
        &self,
        channel: ChannelId,
        customer: &str,
        token: &str,
        at: Timestamp,
        now: Timestamp,
    ) {
        let mut held = self.0.lock();
        if held.len() >= limits::REPLY_TOKENS_MAX {
            held.retain(|_, it| it.is_younger(now, REPEATED_S));
        }
        let key = (channel, customer.to_owned());
        let is_newer = held.get(&key).is_none_or(|it| it.token != token && it.at <= at);
        if is_newer && held.len() < limits::REPLY_TOKENS_MAX {
            held.insert(key, Held { token: token.to_owned(), at: at.min(now), used_by: None });
        }
    }

    /// Returns the customer's token for a delivery, if it is fresh and no other delivery has used
    /// it. The same delivery may use its token again for a little longer, because LINE accepts a
    /// token only once. A retried delivery gets no unused token: it may have been pushed before,
    /// and LINE recognizes a repetition only if it is pushed again.
    pub(crate) fn take(
        &self,
        channel: ChannelId,
        customer: &str,
        (delivery, is_first): (DeliveryId, bool),
        now: Timestamp,
    ) -> Option<String> {
        let mut held = self.0.lock();
        let it = held.get_mut(&(channel, customer.to_owned()))?;
        let seconds = match it.used_by {
            None if is_first => FRESH_S,
            Some(by) if by == delivery => REPEATED_S,
            _ => return None,
        };
        if !it.is_younger(now, seconds) {
            return None;
        }
        it.used_by = Some(delivery);
        Some(it.token.clone())
    }

    /// Removes a token that LINE no longer accepts.
    pub(crate) fn delete(&self, channel: ChannelId, customer: &str) {
        self.0.lock().remove(&(channel, customer.to_owned()));
    }
}

/// Maximum age in seconds of a token at its first use. LINE accepts tokens for a minute.
const FRESH_S: i64 = 30;
/// Maximum age in seconds of a token that a delivery uses again because the outcome of its first
/// use is unknown.
const REPEATED_S: i64 = 50;

#[cfg(test)]
mod tests {
    use super::*;

    const CHANNEL: ChannelId = ChannelId(30);

    fn at(seconds: i64) -> Timestamp {
        Timestamp(seconds * 1_000_000)
    }

    #[test]
    fn a_token_is_valid_for_one_delivery_and_a_short_time() {
        let tokens = ReplyTokens::default();
        let try_take = |delivery, is_first, second| {
            tokens.take(CHANNEL, "U1", (DeliveryId(delivery), is_first), at(second))
        };
        let take = |delivery, second| try_take(delivery, true, second);
        assert_eq!(take(1, 100), None);
        tokens.put(CHANNEL, "U1", "first", at(100), at(101));
        assert_eq!(try_take(1, false, 110), None, "the delivery was pushed before");
        assert_eq!(take(1, 129), Some("first".to_owned()));
        assert_eq!(take(2, 129), None, "another delivery used the token");
        let repeated = try_take(1, false, 149);
        assert_eq!(repeated, Some("first".to_owned()), "the delivery may use its token again");
        assert_eq!(take(1, 150), None);
        tokens.put(CHANNEL, "U1", "first", at(100), at(150));
        assert_eq!(take(2, 129), None, "a repeated token is not new");
        tokens.put(CHANNEL, "U1", "second", at(200), at(200));
        tokens.put(CHANNEL, "U1", "late", at(190), at(200));
        assert_eq!(take(3, 230), None, "the token is too old");
        assert_eq!(take(3, 229), Some("second".to_owned()));
        tokens.delete(CHANNEL, "U1");
        assert_eq!(take(3, 229), None);
    }

    #[test]
    fn tokens_are_bounded_and_old_ones_are_evicted() {
        let tokens = ReplyTokens::default();
        for number in 0..limits::REPLY_TOKENS_MAX {
            tokens.put(CHANNEL, &format!("U{number}"), "x", at(100), at(100));
        }
        tokens.put(CHANNEL, "next", "y", at(100), at(100));
        let take = |second| tokens.take(CHANNEL, "next", (DeliveryId(1), true), at(second));
        assert_eq!(take(100), None);
        tokens.put(CHANNEL, "next", "y", at(200), at(200));
        assert_eq!(take(200), Some("y".to_owned()));
    }
}
