//! Tests of the listeners: delivery, retention and expiry of events.

use confab_domain::app::AppCode;
use confab_domain::ids::{DeliveryId, EndpointId, UserKey};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::Lane;
use confab_domain::webhooks::event_kind::EventKind;

use super::*;

fn app(id: i64) -> App {
    App {
        id: AppId(id),
        code: AppCode::parse("shop").expect("the app code is valid"),
        name: String::new(),
        sdk_secret: String::new(),
        secret_key: format!("key-{id}"),
        other_key: None,
        system_user: UserKey(1),
        created_at: Timestamp(0),
        has_chat_message_webhook: false,
        shows_sender_extras: false,
    }
}

fn delivery(body: &str) -> Delivery {
    Delivery {
        id: DeliveryId(7),
        app: AppId(1),
        endpoint: EndpointId(0),
        kind: EventKind::Bot,
        lane: Lane(55),
        sequence: 0,
        created_at: Timestamp(1_000),
        depth: 1,
        body: body.into(),
    }
}

fn bodies(events: &[Arc<WebhookEvent>]) -> Vec<&str> {
    events.iter().map(|event| &*event.delivery.body).collect()
}

fn publish(listeners: &Listeners, app: &App, body: &str) -> usize {
    listeners.publish(app, &["SERVICE".to_owned()], &[delivery(body)])
}

const NO_WAIT: Duration = Duration::ZERO;

#[tokio::test(start_paused = true)]
async fn events_reach_the_listeners_of_their_app_once_and_in_order() {
    let (listeners, shop, other) = (Listeners::default(), app(1), app(2));
    assert_eq!(publish(&listeners, &shop, "before"), 0, "there is no listener");
    let (events, start) = listeners.listen(shop.id, None, NO_WAIT).await;
    assert!(events.is_empty());
    listeners.listen(other.id, None, NO_WAIT).await;
    assert_eq!((publish(&listeners, &shop, "one"), publish(&listeners, &shop, "two")), (1, 1));
    publish(&listeners, &other, "not for shop");
    let (events, next) = listeners.listen(shop.id, Some(start), NO_WAIT).await;
    assert_eq!(bodies(&events), ["one", "two"]);
    assert!(events[0].id < events[1].id && events[1].id == next);
    let signature = &events[0].headers["service-signature-key"];
    assert_eq!(confab_verify::verify("key-1", b"one", signature), Ok(()));
    let (events, last) = listeners.listen(shop.id, Some(next), NO_WAIT).await;
    assert!(events.is_empty() && last == next);
    let (events, _) = listeners.listen(shop.id, None, NO_WAIT).await;
    assert!(events.is_empty(), "a listener without a position starts at the newest event");
}

#[tokio::test(start_paused = true)]
async fn a_waiting_listener_gets_events_immediately_or_times_out() {
    let (listeners, shop) = (Arc::new(Listeners::default()), app(1));
    let began = Instant::now();
    let (events, _) = listeners.listen(shop.id, None, Duration::from_secs(25)).await;
    assert!(events.is_empty() && began.elapsed() >= Duration::from_secs(25));
    let waiter = tokio::spawn({
        let listeners = listeners.clone();
        async move { listeners.listen(AppId(1), None, Duration::from_secs(25)).await }
    });
    tokio::task::yield_now().await;
    let began = Instant::now();
    assert_eq!(publish(&listeners, &shop, "news"), 1);
    let (events, _) = waiter.await.expect("the listener task finished");
    assert_eq!((bodies(&events), began.elapsed()), (vec!["news"], NO_WAIT));
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_is_away_for_a_minute_loses_its_events() {
    let (listeners, shop) = (Listeners::default(), app(1));
    let (_, start) = listeners.listen(shop.id, None, NO_WAIT).await;
    publish(&listeners, &shop, "kept");
    tokio::time::advance(Duration::from_secs(59)).await;
    assert!(listeners.has_listeners(shop.id));
    tokio::time::advance(Duration::from_secs(2)).await;
    assert!(!listeners.has_listeners(shop.id));
    assert_eq!(publish(&listeners, &shop, "lost"), 0);
    let (events, _) = listeners.listen(shop.id, Some(start), NO_WAIT).await;
    assert!(events.is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_newest_thousand_events_are_retained_and_a_call_returns_a_hundred() {
    let (listeners, shop) = (Listeners::default(), app(1));
    let (_, mut next) = listeners.listen(shop.id, None, NO_WAIT).await;
    let many: Vec<_> = (0..1_005).map(|number| delivery(&number.to_string())).collect();
    listeners.publish(&shop, &[], &many);
    let mut received = Vec::new();
    loop {
        let (events, after) = listeners.listen(shop.id, Some(next), NO_WAIT).await;
        if events.is_empty() {
            break;
        }
        assert_eq!(events.len(), 100);
        received.extend(events);
        next = after;
    }
    assert_eq!((received.len(), &*received[0].delivery.body), (1_000, "5"));
}
