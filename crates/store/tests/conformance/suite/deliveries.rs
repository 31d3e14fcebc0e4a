//! Deliveries: created together with their cause or not at all, in order, and never lost.

use confab_domain::decision::change::{Change, WebhookChange};
use confab_domain::webhooks::delivery::{Attempt, Delivery, DeliveryState, Progress};
use confab_domain::webhooks::event_kind::EventKind::{Bot, LoggedOut, NewSession};

use crate::world::webhooks::{attempt, recorded};
use crate::world::{World, failure, side_by_side};

async fn world_with_a_room(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
}

pub async fn deliveries_of_a_lane_are_numbered_without_a_gap(world: &World) {
    world_with_a_room(world).await;
    let room = world.open_group("other", &["ana"]).await.id;
    let bot = world.put_endpoint(Bot, "https://bot.example/").await;
    world.put_endpoint(NewSession, "https://session.example/").await;
    let writers = (0..24).map(|number| {
        let world = world.clone();
        let room = if number % 2 == 0 { "support" } else { "other" };
        async move {
            let kinds = [NewSession, Bot, LoggedOut];
            world.post_and_notify(room, &format!("{number}"), &kinds).await.expect("sent").len()
        }
    });
    let sent = side_by_side(writers).await;
    assert_eq!(sent, [2; 24], "no endpoint subscribes to logouts");
    for world in [world, &world.crashed().await, &world.reopened().await] {
        let waiting = world.waiting(room).await;
        let to_bot = waiting.iter().filter(|(delivery, _)| delivery.endpoint == bot.id);
        let sequences: Vec<_> = to_bot.map(|(delivery, _)| delivery.sequence).collect();
        assert_eq!(sequences, (1..=12).collect::<Vec<_>>(), "ids rise with the sequence");
        assert_eq!(waiting.len(), 24);
    }
}

pub async fn a_delivery_is_stored_as_it_was_created(world: &World) {
    world_with_a_room(world).await;
    world.put_endpoint(Bot, "https://bot.example/").await;
    let body = r#"{"text":"Grüße 👋","number":1.0}"#;
    let made = world.post_and_notify("support", body, &[Bot]).await.expect("sent").remove(0);
    assert_eq!(made.sequence, 1);
    for world in [world, &world.crashed().await, &world.reopened().await] {
        let found = world.delivery(made.id).await;
        let (delivery, progress, attempts) = found.expect("it exists");
        assert!(delivery == made, "byte for byte");
        assert_eq!((progress, attempts), (Progress::new(made.created_at), vec![]));
    }
}

pub async fn a_failing_decision_in_a_batch_does_not_duplicate_deliveries_of_the_others(
    world: &World,
) {
    world_with_a_room(world).await;
    let room = world.room("support").await.id;
    world.put_endpoint(Bot, "https://bot.example/").await;
    let writer = world.hold_writer().await;
    let (first, bad, second, ()) = tokio::join!(
        world.post_and_notify("support", "one", &[Bot]),
        world.insert_user_blindly("ana"),
        world.post_and_notify("support", "two", &[Bot]),
        writer.release(),
    );
    failure(bad);
    let sent = [first.expect("sent").remove(0), second.expect("sent").remove(0)];
    let mut sequences = sent.each_ref().map(|delivery| delivery.sequence);
    sequences.sort();
    assert_eq!(sequences, [1, 2]);
    let waiting = world.waiting(room).await;
    assert_eq!(waiting.len(), 2, "each delivery is created once, although both were decided twice");
}

pub async fn attempts_are_stored_and_finished_deliveries_are_no_longer_pending(world: &World) {
    world_with_a_room(world).await;
    let room = world.room("support").await.id;
    world.put_endpoint(Bot, "https://bot.example/").await;
    let mut sent = Vec::new();
    for text in ["one", "two", "three"] {
        sent.extend(world.post_and_notify("support", text, &[Bot]).await.expect("sent"));
    }
    let failed = attempt(1, 503);
    let arrived = Attempt { peer: None, phases_us: [None; 5], ..attempt(2, 200) };
    world.record(&sent[0], failed.clone(), DeliveryState::Parked).await;
    world.record(&sent[1], arrived.clone(), DeliveryState::Delivered).await;
    world.record(&sent[2], failed.clone(), DeliveryState::Failed).await;
    for world in [&world.crashed().await, &world.reopened().await] {
        let waiting = world.waiting(room).await;
        assert_eq!(waiting.len(), 1);
        assert_eq!((waiting[0].0.id, waiting[0].1.standing), (sent[0].id, DeliveryState::Parked));
        assert_eq!((waiting[0].1.attempts, waiting[0].1.failed_at), (1, Some(failed.at)));
        world.record(&sent[0], arrived.clone(), DeliveryState::Delivered).await;
        let (progress, attempts) = world.progress(&sent[0]).await;
        assert_eq!(progress.standing, DeliveryState::Delivered);
        assert_eq!(attempts, [failed.clone(), arrived.clone()]);
        assert_eq!(world.waiting(room).await.len(), 0);
    }
}

pub async fn a_lane_without_a_room_is_numbered_without_a_gap(world: &World) {
    world.put_endpoint(Bot, "https://bot.example/").await;
    world.put_endpoint(NewSession, "https://session.example/").await;
    let writers = (0..40).map(|_| {
        let world = world.clone();
        async move { world.notify_in_lane(12_345, "hello", &[Bot, NewSession]).await }
    });
    let made = side_by_side(writers).await;
    for endpoint in 0..2 {
        let mut sequences: Vec<_> = made.iter().map(|sent| sent[endpoint].sequence).collect();
        sequences.sort_unstable();
        assert_eq!(sequences, (1..=40).collect::<Vec<_>>());
    }
    assert_eq!(world.reopened().await.notify_in_lane(12_345, "next", &[Bot]).await[0].sequence, 41);
}

/// Returns a delivery that failed once and waits.
async fn tried_once(world: &World) -> Delivery {
    world.put_endpoint(Bot, "https://bot.example/").await;
    let delivery = world.notify_in_lane(7, "hello", &[Bot]).await.remove(0);
    world.record(&delivery, attempt(1, 503), DeliveryState::Waiting).await;
    delivery
}

pub async fn recording_an_attempt_again_changes_nothing_and_is_not_an_error(world: &World) {
    let delivery = tried_once(world).await;
    let before = world.progress(&delivery).await;
    world.record(&delivery, attempt(1, 404), DeliveryState::Failed).await;
    assert_eq!(world.progress(&delivery).await, before);
    // In one commit with others, and twice in it.
    let other = world.notify_in_lane(8, "other", &[Bot]).await.remove(0);
    let writer = world.hold_writer().await;
    tokio::join!(
        world.record(&delivery, attempt(1, 404), DeliveryState::Failed),
        world.record(&other, attempt(1, 200), DeliveryState::Delivered),
        world.record(&other, attempt(1, 200), DeliveryState::Delivered),
        writer.release(),
    );
    assert_eq!(world.progress(&delivery).await, before);
    let (progress, attempts) = world.progress(&other).await;
    assert_eq!((progress.standing, attempts.len()), (DeliveryState::Delivered, 1));
}

pub async fn a_late_attempt_record_does_not_change_a_finished_delivery(world: &World) {
    let delivery = tried_once(world).await;
    world.record(&delivery, attempt(2, 200), DeliveryState::Delivered).await;
    let before = world.progress(&delivery).await;
    for number in [1, 2] {
        world.record(&delivery, attempt(number, 503), DeliveryState::Waiting).await;
        assert_eq!(world.progress(&delivery).await, before);
    }
    world.record(&delivery, attempt(3, 503), DeliveryState::Waiting).await;
    assert_eq!(world.progress(&delivery).await.0, before.0, "a finished delivery stays finished");
    assert_eq!(world.all_waiting().await, []);
}

pub async fn only_the_outcome_of_a_started_attempt_replaces_its_start_mark(world: &World) {
    let delivery = tried_once(world).await;
    let begun = |number| {
        let answer = Attempt::BEGUN.to_owned();
        let mark = Attempt { answer, ..attempt(number, 500) };
        // The progress of the delivery is unchanged.
        let mut change = recorded(&delivery, mark, DeliveryState::Waiting);
        if let Change::Webhook(WebhookChange::RecordAttempt { progress, .. }) = &mut change {
            progress.attempts = number - 1;
        }
        change
    };
    let before = world.progress(&delivery).await;
    world.change(vec![begun(1)]).await;
    assert_eq!(world.progress(&delivery).await, before, "the first attempt has ended already");
    world.change(vec![begun(2)]).await;
    let (progress, attempts) = world.progress(&delivery).await;
    assert_eq!((progress, attempts.len()), (before.0, 2));
    assert_eq!(attempts[1].answer, Attempt::BEGUN);
    world.record(&delivery, attempt(2, 200), DeliveryState::Delivered).await;
    world.change(vec![begun(2)]).await;
    let (progress, attempts) = world.progress(&delivery).await;
    assert_eq!(progress.standing, DeliveryState::Delivered);
    assert_eq!(attempts[1..], [attempt(2, 200)]);
}

pub async fn attempts_of_one_delivery_recorded_together_apply_in_order(world: &World) {
    let delivery = tried_once(world).await;
    let changes = [
        (2, 503, DeliveryState::Parked),
        (3, 503, DeliveryState::Parked),
        (4, 200, DeliveryState::Delivered),
    ]
    .map(|(number, status, standing)| recorded(&delivery, attempt(number, status), standing));
    world.change(changes.to_vec()).await;
    let (progress, attempts) = world.progress(&delivery).await;
    assert_eq!((progress.standing, progress.attempts), (DeliveryState::Delivered, 4));
    assert_eq!(attempts.len(), 4);
}

pub async fn recording_an_attempt_of_a_purged_delivery_is_not_an_error(world: &World) {
    let delivery = tried_once(world).await;
    let gone = Delivery { id: confab_domain::ids::DeliveryId(5), ..delivery.clone() };
    let changes = vec![
        recorded(&gone, attempt(1, 200), DeliveryState::Delivered),
        recorded(&delivery, attempt(2, 200), DeliveryState::Delivered),
    ];
    world.change(changes).await;
    assert_eq!(world.progress(&delivery).await.0.standing, DeliveryState::Delivered);
    assert!(world.delivery(gone.id).await.is_none());
}
