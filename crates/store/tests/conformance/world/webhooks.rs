//! Webhooks: endpoints, deliveries made together with their cause, attempts.

use confab_domain::decision::{Change, Decision, Facts, Question, Stamp};
use confab_domain::delivery::{Attempt, Delivery, Lane, Progress, Standing};
use confab_domain::endpoint::{Endpoint, Manners};
use confab_domain::ids::{DeliveryId, EndpointId, RoomId};
use confab_domain::notice::NoticeKind;
use confab_store::WriteError;

use super::{World, room_ref};

impl World {
    /// Has the app told of a kind at this address.
    pub async fn put_endpoint(&self, kind: NoticeKind, url: &str) -> Endpoint {
        let (app, url) = (self.app, url.to_owned());
        let rule = move |_: &Facts, stamp: &Stamp<'_>| {
            let endpoint = Endpoint {
                id: EndpointId(stamp.next_id()),
                app,
                kind,
                url: url.clone(),
                is_enabled: true,
                manners: Manners { per_second_max: Some(7), ..Manners::default() },
                created_at: stamp.now,
                updated_at: stamp.now,
            };
            Ok(Decision { changes: vec![Change::PutEndpoint(endpoint.clone())], outcome: endpoint })
        };
        self.store.decide(self.app, Question::default(), rule).await.expect("put")
    }

    /// Posts into a room and tells every endpoint of these kinds, by one decision.
    pub async fn post_and_tell(
        &self,
        room: &str,
        text: &str,
        kinds: &[NoticeKind],
    ) -> Result<Vec<Delivery>, WriteError> {
        let id = self.room(room).await.id;
        let question = Question {
            rooms: vec![room_ref(room)],
            endpoints: Some((Lane(id.0), kinds.to_vec())),
            ..Question::default()
        };
        let (app, text) = (self.app, text.to_owned());
        let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
            let made = facts.endpoints.iter().map(|(endpoint, last)| Delivery {
                id: DeliveryId(stamp.next_id()),
                app,
                endpoint: endpoint.id,
                kind: endpoint.kind,
                lane: Lane(id.0),
                sequence: last + 1,
                created_at: stamp.now,
                body: text.as_str().into(),
            });
            let made: Vec<Delivery> = made.collect();
            let changes = made.iter().cloned().map(Change::InsertDelivery).collect();
            Ok(Decision { changes, outcome: made })
        };
        self.store.decide(self.app, question, rule).await
    }

    /// Writes down an attempt and where it leaves the delivery.
    pub async fn record(&self, delivery: &Delivery, attempt: Attempt, standing: Standing) {
        let (id, lane) = (delivery.id, delivery.lane);
        let rule = move |_: &Facts, stamp: &Stamp<'_>| {
            let failed_at = attempt.error.map(|_| stamp.now);
            let attempts = attempt.number;
            let progress = Progress { standing, attempts, due_at: stamp.now, failed_at };
            let attempt = attempt.clone();
            let change = Change::RecordAttempt { delivery: id, lane, attempt, progress };
            Ok(Decision { changes: vec![change], outcome: () })
        };
        self.store.decide(self.app, Question::default(), rule).await.expect("recorded");
    }

    /// Everything that waits in the lane of a room, in the order it is found.
    pub async fn waiting(&self, room: RoomId) -> Vec<(Delivery, Progress)> {
        let lane = Lane(room.0);
        let mut waiting: Vec<(Delivery, Progress)> = Vec::new();
        loop {
            let after = waiting.last().map_or(DeliveryId(0), |(last, _)| last.id);
            let page = self.store.waiting_deliveries(lane.bucket(), after, 3).await.expect("read");
            if page.is_empty() {
                waiting.retain(|(delivery, _)| delivery.lane == lane);
                return waiting;
            }
            waiting.extend(page);
        }
    }
}
