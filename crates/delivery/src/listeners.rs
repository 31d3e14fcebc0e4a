//! Live streams of an app's webhooks for `confab listen`, for receivers without a public address.
//! The webhooks are held in the memory of one node, and only while the app has listeners
//! (design/webhooks).

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use confab_domain::app::App;
use confab_domain::ids::AppId;
use confab_domain::limits;
use confab_domain::webhooks::delivery::Delivery;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use super::carriers::webhook::{SigningKeys, WebhookRequest, headers};

/// A signed webhook as it would be sent. Not `Debug`, because the body contains messages.
pub struct WebhookEvent {
    /// Id, greater than those of all earlier events, even of events before a restart.
    pub id: i64,
    pub delivery: Delivery,
    pub headers: BTreeMap<String, String>,
}

/// The listeners of this node, by app.
#[derive(Default)]
pub struct Listeners(Mutex<HashMap<AppId, Ring>>);

/// The recent webhooks of one app, for its listeners.
struct Ring {
    events: VecDeque<Arc<WebhookEvent>>,
    last_id: i64,
    listened_at: Instant,
    waiting: usize,
    news: Arc<Notify>,
}

impl Ring {
    fn new() -> Self {
        let (events, news) = (VecDeque::new(), Arc::default());
        Self { events, last_id: 0, listened_at: Instant::now(), waiting: 0, news }
    }

    fn push(&mut self, delivery: Delivery, headers: BTreeMap<String, String>) {
        // At least the clock's time, so that a listener's position stays valid after a restart.
        self.last_id = delivery.created_at.0.max(self.last_id + 1);
        if self.events.len() == limits::LISTEN_EVENTS_MAX {
            self.events.pop_front();
        }
        self.events.push_back(Arc::new(WebhookEvent { id: self.last_id, delivery, headers }));
    }

    fn is_active(&self) -> bool {
        let retained = Duration::from_secs(limits::LISTEN_RETENTION_S);
        self.waiting > 0 || self.listened_at.elapsed() < retained
    }
}

impl Listeners {
    /// Whether the app has listeners, or had one within the last minute.
    pub fn has_listeners(&self, app: AppId) -> bool {
        self.count(app) > 0
    }

    /// Returns the number of waiting listeners. Returns 1 if none is waiting but one was within the
    /// last minute, because it is expected to return.
    pub(crate) fn count(&self, app: AppId) -> usize {
        let rings = self.0.lock();
        rings.get(&app).filter(|ring| ring.is_active()).map_or(0, |ring| ring.waiting.max(1))
    }

    /// Signs webhooks and publishes them to the app's listeners. Returns the number of listeners.
    pub fn publish(&self, app: &App, brands: &[String], deliveries: &[Delivery]) -> usize {
        if deliveries.is_empty() || !self.has_listeners(app.id) {
            return 0;
        }
        let signed: Vec<_> = deliveries
            .iter()
            .map(|delivery| (delivery.clone(), signed(app, brands, delivery)))
            .collect();
        let mut rings = self.0.lock();
        rings.retain(|_, ring| ring.is_active());
        let Some(ring) = rings.get_mut(&app.id) else { return 0 };
        signed.into_iter().for_each(|(delivery, headers)| ring.push(delivery, headers));
        ring.news.notify_waiters();
        ring.waiting.max(1)
    }

    /// Returns the app's events after the id `after`, or after the newest one if `after` is `None`,
    /// and the id to pass to the next call. Waits at most for `wait` if there are no events yet.
    pub async fn listen(
        &self,
        app: AppId,
        after: Option<i64>,
        wait: Duration,
    ) -> (Vec<Arc<WebhookEvent>>, i64) {
        let deadline = Instant::now() + wait;
        let (waiting, after) = WaitingListener::begin(self, app, after);
        loop {
            // Created before the events are read, so that no later publication is missed.
            let news = waiting.news.notified();
            let events = self.after(app, after);
            if let Some(last) = events.last() {
                let next = last.id;
                return (events, next);
            }
            if timeout_at(deadline, news).await.is_err() {
                return (Vec::new(), after);
            }
        }
    }

    fn after(&self, app: AppId, after: i64) -> Vec<Arc<WebhookEvent>> {
        let rings = self.0.lock();
        let events = rings.get(&app).map(|ring| ring.events.iter());
        let fresh = events.into_iter().flatten().filter(|event| event.id > after);
        fresh.take(limits::LISTEN_EVENTS_PER_CALL).cloned().collect()
    }
}

/// A listener that is counted as waiting until it is dropped.
struct WaitingListener<'a> {
    listeners: &'a Listeners,
    app: AppId,
    news: Arc<Notify>,
}

impl<'a> WaitingListener<'a> {
    /// Registers a waiting listener. Also returns the id after which it receives events: `after`,
    /// or else that of the newest event.
    fn begin(listeners: &'a Listeners, app: AppId, after: Option<i64>) -> (Self, i64) {
        let mut rings = listeners.0.lock();
        rings.retain(|_, ring| ring.is_active());
        let ring = rings.entry(app).or_insert_with(Ring::new);
        let after = after.unwrap_or(ring.last_id);
        ring.waiting += 1;
        let news = ring.news.clone();
        (Self { listeners, app, news }, after)
    }
}

impl Drop for WaitingListener<'_> {
    fn drop(&mut self) {
        if let Some(ring) = self.listeners.0.lock().get_mut(&self.app) {
            ring.waiting -= 1;
            ring.listened_at = Instant::now();
        }
    }
}

fn signed(app: &App, brands: &[String], delivery: &Delivery) -> BTreeMap<String, String> {
    let webhook = WebhookRequest {
        delivery,
        number: 1,
        url: "",
        timeout: Duration::ZERO,
        keys: SigningKeys::current_of(app),
        brands,
        sent_at: delivery.created_at,
        is_after_gap: false,
        trace: None,
    };
    headers(&webhook).into_iter().collect()
}

#[cfg(test)]
mod tests;
