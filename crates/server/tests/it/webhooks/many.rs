//! Many deliveries: each call does a bounded amount of work and returns a cursor for the rest.

use confab_domain::decision::change::{Change, WebhookChange};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::DeliveryId;
use confab_domain::limits;
use confab_domain::webhooks::delivery::{
    Attempt, Delivery, DeliveryState, ErrorClass, Lane, Progress,
};
use confab_domain::webhooks::event_kind::EventKind;
use serde_json::{Value, json};

use crate::support::hooks::Hooks;
use crate::support::test_server::TestServer;

/// Creates deliveries to the bot endpoint of the first app, all waiting or all failed.
pub async fn make(server: &TestServer, count: usize, error: Option<ErrorClass>) -> Vec<DeliveryId> {
    let app = server.app_id("shop").await;
    let lane = Lane(55);
    let endpoints = Some((lane, vec![EventKind::Bot]));
    let question = Question { endpoints, ..Question::default() };
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
        let (endpoint, last) = &facts.endpoints[0];
        let (mut changes, mut made) = (Vec::new(), Vec::new());
        for number in 1..=count as u64 {
            let id = DeliveryId(stamp.next_id());
            made.push(id);
            changes.push(Change::Webhook(WebhookChange::InsertDelivery(Delivery {
                id,
                app,
                endpoint: endpoint.id,
                kind: EventKind::Bot,
                lane,
                sequence: last + number,
                created_at: stamp.now,
                depth: 1,
                body: "{}".into(),
            })));
            changes.extend(error.map(|error| failed(id, lane, error, stamp)));
        }
        Ok(Decision::new(changes, made))
    };
    server.store.decide(app, question, rule).await.expect("made")
}

fn failed(delivery: DeliveryId, lane: Lane, error: ErrorClass, stamp: &Stamp<'_>) -> Change {
    let attempt = Attempt {
        number: 1,
        at: stamp.now,
        error: Some(error),
        status: None,
        peer: None,
        url: None,
        phases_us: [None; 5],
        answer: String::new(),
        headers: None,
    };
    let new = Progress::new(stamp.now);
    let progress = Progress { standing: DeliveryState::Failed, attempts: 1, tries: 1, ..new };
    Change::Webhook(WebhookChange::RecordAttempt { delivery, lane, attempt, progress })
}

#[tokio::test]
async fn a_replay_call_replays_at_most_1000_deliveries_and_returns_a_cursor() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    hooks.register("bot").await;
    let made = make(&server, limits::REPLAYED_PER_CALL_MAX + 2, Some(ErrorClass::Tls)).await;
    let first = hooks.post("/replay", json!({"error": "tls"})).await.data();
    assert_eq!(first["replayed"], limits::REPLAYED_PER_CALL_MAX);
    let left = [made[1001].0, made[1000].0];
    assert_eq!(
        hooks.list(&[("standing", "failed")]).await.0,
        left,
        "the oldest were replayed first"
    );
    let body = json!({"error": "tls", "after": first["next"]});
    let rest = hooks.post("/replay", body).await.data();
    assert_eq!(rest, json!({"replayed": 2, "next": null}));
    let shown = hooks.get("/endpoints", &[]).await.data();
    assert_eq!(shown["endpoints"][0]["waiting"], made.len());
}

#[tokio::test]
async fn an_empty_page_has_a_cursor_if_older_deliveries_were_not_scanned() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    hooks.register("bot").await;
    let oldest = make(&server, 1, Some(ErrorClass::Tls)).await[0].0;
    make(&server, limits::DELIVERIES_SCANNED_MAX, None).await;
    let wanted = [("standing", "failed"), ("limit", "100")];
    let (found, next) = hooks.list(&wanted).await;
    assert_eq!(found, Vec::<i64>::new(), "one call does not scan as far as the failed delivery");
    let next = next.expect("there may be more");
    let further = [wanted[0], wanted[1], ("before", next.as_str())];
    assert_eq!(hooks.list(&further).await, (vec![oldest], None));
    let nothing = json!({"standing": "delivered"});
    let first = hooks.post("/replay", nothing).await.data();
    assert_eq!((&first["replayed"], first["next"].is_string()), (&json!(0), true));
    let body = json!({"standing": "delivered", "after": first["next"]});
    let rest = hooks.post("/replay", body).await.data();
    assert_eq!((&rest["replayed"], &rest["next"]), (&json!(0), &Value::Null));
}
