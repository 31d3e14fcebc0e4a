//! Webhooks: endpoints, deliveries created together with their cause, attempts.

use confab_domain::decision::change::{Change, WebhookChange};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{DeliveryId, EndpointId, RoomId};
use confab_domain::rooms::room::RoomRef;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivering::ReplayDeliveries;
use confab_domain::webhooks::delivery::{
    Attempt, BUCKETS, Delivery, DeliveryHead, DeliveryState, ErrorClass, Lane, ListedDelivery,
    Progress,
};
use confab_domain::webhooks::endpoint::{DeliveryPolicy, Endpoint};
use confab_domain::webhooks::event_kind::EventKind;
use confab_store::{DeliveryListing, ListEnd, ScanMark, ScannedDeliveries, WriteError};

use super::{World, room_ref};

/// Range of all delivery ids.
pub const ALL_IDS: (DeliveryId, DeliveryId) = (DeliveryId(0), DeliveryId(i64::MAX));

/// Returns an attempt that was answered with this status.
pub fn attempt(number: u32, status: u16) -> Attempt {
    Attempt {
        number,
        at: Timestamp(1_769_853_600_000_000 + i64::from(number)),
        error: ErrorClass::of_status(status),
        status: Some(status),
        peer: Some("203.0.113.7:443".to_owned()),
        url: Some("https://hook.example/".to_owned()),
        phases_us: [Some(120), Some(3_000), None, Some(45_000), Some(7)],
        answer: "<html>später</html>".to_owned(),
        headers: Some("webhook-id: msg_1".to_owned()),
    }
}

/// Returns the record of an attempt that leaves the delivery in this state.
pub fn recorded(delivery: &Delivery, attempt: Attempt, standing: DeliveryState) -> Change {
    let progress = Progress {
        standing,
        attempts: attempt.number,
        tries: attempt.number,
        since: delivery.created_at,
        due_at: attempt.at,
        failed_at: attempt.error.map(|_| attempt.at),
    };
    Change::Webhook(WebhookChange::RecordAttempt {
        delivery: delivery.id,
        lane: delivery.lane,
        attempt,
        progress,
    })
}

impl World {
    /// Creates an endpoint for a kind of event.
    pub async fn put_endpoint(&self, kind: EventKind, url: &str) -> Endpoint {
        self.put_endpoint_as(kind, url, |_| {}).await
    }

    /// Creates an endpoint and changes it with `change` before it is stored.
    pub async fn put_endpoint_as(
        &self,
        kind: EventKind,
        url: &str,
        change: impl Fn(&mut Endpoint) + Send + 'static,
    ) -> Endpoint {
        let (app, url) = (self.app, url.to_owned());
        let rule = move |_: &Facts, stamp: &Stamp<'_>| {
            let mut endpoint = Endpoint {
                id: EndpointId(stamp.next_id()),
                app,
                kind,
                name: String::new(),
                url: url.clone(),
                is_enabled: true,
                is_paused: false,
                failing: None,
                policy: DeliveryPolicy { per_second_max: Some(7), ..DeliveryPolicy::default() },
                created_at: stamp.now,
                updated_at: stamp.now,
            };
            change(&mut endpoint);
            Ok(Decision::new(
                vec![Change::Webhook(WebhookChange::PutEndpoint(endpoint.clone()))],
                endpoint,
            ))
        };
        self.store.decide(self.app, Question::default(), rule).await.expect("put")
    }

    /// Returns the app's endpoints, as read.
    pub async fn endpoints(&self) -> Vec<Endpoint> {
        self.store.endpoints(self.app).await.expect("read")
    }

    /// Returns the app's endpoints of a kind, as rules find them.
    pub async fn endpoints_for_rules(&self, kind: EventKind) -> Vec<Endpoint> {
        let question = Question { endpoints: Some((Lane(1), vec![kind])), ..Question::default() };
        let rule = |facts: &Facts, _: &Stamp<'_>| {
            let found = facts.endpoints.iter().map(|(endpoint, _)| (**endpoint).clone());
            Ok(Decision::nothing(found.collect()))
        };
        self.store.decide(self.app, question, rule).await.expect("decided")
    }

    /// Posts into a room and notifies every endpoint of these kinds, in one decision.
    pub async fn post_and_notify(
        &self,
        room: &str,
        text: &str,
        kinds: &[EventKind],
    ) -> Result<Vec<Delivery>, WriteError> {
        let id = self.room(room).await.id;
        self.notify(vec![room_ref(room)], Lane(id.0), text, kinds).await
    }

    /// Notifies every endpoint of these kinds in a lane that is no room.
    pub async fn notify_in_lane(
        &self,
        lane: i64,
        text: &str,
        kinds: &[EventKind],
    ) -> Vec<Delivery> {
        self.notify(vec![], Lane(lane), text, kinds).await.expect("sent")
    }

    /// Notifies every endpoint of these kinds in a lane, with these rooms locked.
    pub async fn notify(
        &self,
        rooms: Vec<RoomRef>,
        lane: Lane,
        text: &str,
        kinds: &[EventKind],
    ) -> Result<Vec<Delivery>, WriteError> {
        let endpoints = Some((lane, kinds.to_vec()));
        let question = Question { rooms, endpoints, ..Question::default() };
        let (app, text) = (self.app, text.to_owned());
        let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
            let made = facts.endpoints.iter().map(|(endpoint, last)| Delivery {
                id: DeliveryId(stamp.next_id()),
                app,
                endpoint: endpoint.id,
                kind: endpoint.kind,
                lane,
                sequence: last + 1,
                created_at: stamp.now,
                depth: 2,
                body: text.as_str().into(),
            });
            let made: Vec<Delivery> = made.collect();
            let changes =
                made.iter().cloned().map(|it| WebhookChange::InsertDelivery(it).into()).collect();
            Ok(Decision::new(changes, made))
        };
        self.store.decide(self.app, question, rule).await
    }

    /// Records an attempt and the resulting state of the delivery.
    pub async fn record(&self, delivery: &Delivery, attempt: Attempt, standing: DeliveryState) {
        self.change(vec![recorded(delivery, attempt, standing)]).await;
    }

    /// Replays the delivery, and returns the time.
    pub async fn replay(&self, delivery: &Delivery) -> Timestamp {
        let deliveries = vec![(delivery.id, delivery.lane)];
        self.decide(ReplayDeliveries { deliveries }).await.expect("replayed")
    }

    /// Writes these changes in one decision.
    pub async fn change(&self, changes: Vec<Change>) {
        let rule = move |_: &Facts, _: &Stamp<'_>| Ok(Decision::new(changes.clone(), ()));
        self.store.decide(self.app, Question::default(), rule).await.expect("written");
    }

    /// Returns unfinished deliveries in any bucket since a scan.
    pub async fn scan(&self, after: ScanMark) -> ScannedDeliveries {
        let buckets: Vec<i64> = (0..BUCKETS).collect();
        self.store.waiting_deliveries(&buckets, after).await.expect("read")
    }

    /// Returns all unfinished deliveries, in the order of ids.
    pub async fn all_waiting(&self) -> Vec<DeliveryHead> {
        let mut found = self.scan(ScanMark::default()).await.deliveries;
        found.sort_by_key(|pending| pending.id);
        found
    }

    /// Returns all unfinished deliveries in the lane of a room, in the order of ids.
    pub async fn waiting(&self, room: RoomId) -> Vec<(Delivery, Progress)> {
        let of_room = |pending: &&DeliveryHead| pending.lane == Lane(room.0);
        let found = self.all_waiting().await;
        let ids: Vec<_> = found.iter().filter(of_room).map(|it| (it.lane, it.id)).collect();
        let mut waiting = self.store.deliveries(&ids).await.expect("read");
        waiting.sort_by_key(|(delivery, _)| delivery.id);
        waiting
    }

    /// Returns a delivery of the app with its attempts.
    pub async fn delivery(
        &self,
        delivery: DeliveryId,
    ) -> Option<(Delivery, Progress, Vec<Attempt>)> {
        self.store.delivery(self.app, delivery).await.expect("read")
    }

    /// Returns the progress of a delivery, and its attempts.
    pub async fn progress(&self, delivery: &Delivery) -> (Progress, Vec<Attempt>) {
        let (_, progress, attempts) = self.delivery(delivery.id).await.expect("it exists");
        (progress, attempts)
    }

    /// Returns a page of the app's deliveries from one end.
    pub async fn listed(
        &self,
        ids: (DeliveryId, DeliveryId),
        from_end: ListEnd,
        size: usize,
    ) -> Vec<ListedDelivery> {
        let listing = DeliveryListing { ids, from_end, size };
        self.store.listed_deliveries(self.app, listing).await.expect("read")
    }

    /// Deletes all deliveries created before a time.
    pub async fn purge(&self, before: Timestamp, now: Timestamp) -> usize {
        let mut all = 0;
        loop {
            let some = self.store.purge_deliveries(before, now).await.expect("purged");
            if some == 0 {
                return all;
            }
            all += some;
        }
    }
}
