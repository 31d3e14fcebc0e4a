//! MQTT sessions of this node, and their takeover by another connection (D-0042).
//!
//! A session belongs to a client id and a user. Its holder is a connection, or the task that waits
//! for a disconnected client. The holder hands the session to any connection that presents the same
//! client id and a token of the user.

use std::collections::HashMap;
use std::time::Duration;

use confab_domain::ids::{AppId, UserKey};
use confab_domain::limits;
use confab_domain::people::user::User;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::away::{Away, AwaySessions};
use super::protocol::QosState;
use super::subscriptions::Subscriptions;
use crate::hub::Listener;
use crate::subscription_queue::SubscriptionReceiver;

/// The state of an MQTT session, which outlives a connection. No `Debug`: the token is a secret.
pub(super) struct MqttSession {
    /// Token of the session. A client with another token starts a new session, because topics
    /// contain the token.
    pub(super) token: Box<str>,
    pub(super) listener: Listener,
    pub(super) received: SubscriptionReceiver,
    pub(super) subscriptions: Subscriptions,
    pub(super) exchange: QosState,
}

/// A connection's request to take over a session. The holder answers with the session, or drops the
/// request if it has none to hand over.
pub(super) type Claim = oneshot::Sender<MqttSession>;

type SessionKey = (Box<str>, UserKey);

/// The sessions of this node, by client id and user.
#[derive(Default)]
pub(crate) struct Sessions {
    holders: Mutex<Holders>,
    away: AwaySessions,
}

#[derive(Default)]
struct Holders {
    last: u64,
    by_key: HashMap<SessionKey, (u64, oneshot::Sender<Claim>)>,
}

/// Registration as the holder of a session. `claimed` resolves when another connection claims it.
pub(super) struct SessionPlace {
    key: SessionKey,
    app: AppId,
    id: u64,
    pub(super) claimed: oneshot::Receiver<Claim>,
}

impl Sessions {
    /// Registers a connection as the holder of its session. Also returns the session of the
    /// previous holder, if that hands one over in time.
    pub(super) async fn take(
        &self,
        client: &str,
        user: &User,
    ) -> (SessionPlace, Option<MqttSession>) {
        let (ours, claimed) = oneshot::channel();
        let (key, id, before) = {
            let mut holders = self.holders.lock();
            holders.last += 1;
            let id = holders.last;
            // A client without an id gets a unique one.
            let name = if client.is_empty() { format!("\0{id}") } else { client.to_owned() };
            let key: SessionKey = (name.into(), user.key);
            let before = holders.by_key.insert(key.clone(), (id, ours));
            (key, id, before)
        };
        let place = SessionPlace { key, app: user.app, id, claimed };
        let Some((_, before)) = before else { return (place, None) };
        let (claim, session) = oneshot::channel();
        if before.send(claim).is_err() {
            return (place, None);
        }
        let patience = Duration::from_millis(limits::MQTT_TAKE_OVER_MS);
        let session = tokio::time::timeout(patience, session).await;
        (place, session.ok().and_then(Result::ok))
    }

    /// Removes the registration, unless another connection has become the holder.
    pub(super) fn leave(&self, place: &SessionPlace) {
        let by_key = &mut self.holders.lock().by_key;
        if by_key.get(&place.key).is_some_and(|(id, _)| *id == place.id) {
            by_key.remove(&place.key);
        }
    }

    /// Counts one more session that waits for its client. Returns `None` if a limit is reached.
    pub(super) fn begin_waiting(&self, place: &SessionPlace) -> Option<Away<'_>> {
        self.away.begin(place.app, place.key.1)
    }
}
