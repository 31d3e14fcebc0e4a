//! Who holds which session, and how another connection gets it (D-0042).
//!
//! A session belongs to a client's name and a user. The task that holds it, connected or waiting
//! for its client, gives it to whoever comes with the same name and has shown the user's token.

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
use crate::realtime::hub::Listener;
use crate::realtime::subscription_queue::SubscriptionReceiver;

/// What goes on after a connection. No `Debug`: the token is a secret.
pub(super) struct MqttSession {
    /// Whoever has another one begins anew: topics have it in their names.
    pub(super) token: Box<str>,
    pub(super) listener: Listener,
    pub(super) heard: SubscriptionReceiver,
    pub(super) subscriptions: Subscriptions,
    pub(super) exchange: QosState,
}

/// Somebody wants the session; who has none to give drops this.
pub(super) type Claim = oneshot::Sender<MqttSession>;

type SessionKey = (Box<str>, UserKey);

/// The sessions of this node.
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

/// A session's place. Whoever has it is told when it is claimed.
pub(super) struct SessionPlace {
    key: SessionKey,
    app: AppId,
    id: u64,
    pub(super) claimed: oneshot::Receiver<Claim>,
}

impl Sessions {
    /// Takes the place, and the session of who had it before, if they kept one.
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
            // Who has no name is called what nobody else is.
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

    /// Gives up the place, unless somebody else has it already.
    pub(super) fn leave(&self, place: &SessionPlace) {
        let by_key = &mut self.holders.lock().by_key;
        if by_key.get(&place.key).is_some_and(|(id, _)| *id == place.id) {
            by_key.remove(&place.key);
        }
    }

    /// One more session waits for its client, if there is room for it.
    pub(super) fn begin_waiting(&self, place: &SessionPlace) -> Option<Away<'_>> {
        self.away.begin(place.app, place.key.1)
    }
}
