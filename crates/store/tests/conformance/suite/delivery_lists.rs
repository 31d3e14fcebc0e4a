//! Lists of deliveries and attempts, and their purge.

use confab_domain::ids::DeliveryId;
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{Delivery, DeliveryState, ErrorClass, ListedDelivery};
use confab_domain::webhooks::event_kind::EventKind::{Bot, ChannelEvent, NewSession};
use confab_store::ListEnd::{Newest, Oldest};

use crate::stamps::MORNING;
use crate::world::webhooks::{ALL_IDS, attempt};
use crate::world::{World, side_by_side};

const DAY_S: i64 = 24 * 3_600;

/// Returns five deliveries, one minute apart, each in its own lane.
async fn five(world: &World) -> Vec<Delivery> {
    let mut made = Vec::new();
    for lane in 1..=5 {
        made.extend(world.notify_in_lane(lane, &format!("body {lane}"), &[Bot]).await);
        world.stamps.advance_seconds(60);
    }
    made
}

fn ids(listed: &[ListedDelivery]) -> Vec<DeliveryId> {
    listed.iter().map(|it| it.pending.id).collect()
}

pub async fn deliveries_are_listed_from_both_ends_and_between_ids(world: &World) {
    world.put_endpoint(Bot, "https://bot.example/").await;
    let made: Vec<_> = five(world).await.iter().map(|delivery| delivery.id).collect();
    let other = world.another_app("other").await;
    other.put_endpoint(Bot, "https://bot.example/").await;
    other.notify_in_lane(1, "of another app", &[Bot]).await;
    let reversed: Vec<_> = made.iter().rev().copied().collect();
    assert_eq!(ids(&world.listed(ALL_IDS, Oldest, 10).await), made);
    assert_eq!(ids(&world.listed(ALL_IDS, Newest, 10).await), reversed);
    assert_eq!(ids(&world.listed(ALL_IDS, Oldest, 2).await), made[..2]);
    assert_eq!(ids(&world.listed(ALL_IDS, Newest, 2).await), reversed[..2]);
    let between = (made[1], made[3]);
    assert_eq!(
        ids(&world.listed(between, Oldest, 10).await),
        made[1..3],
        "the end of the range is excluded"
    );
    assert_eq!(ids(&world.listed(between, Newest, 1).await), made[2..3]);
    assert_eq!(other.listed(ALL_IDS, Newest, 10).await.len(), 1);
}

pub async fn listed_deliveries_contain_the_result_of_their_last_attempt(world: &World) {
    world.put_endpoint(Bot, "https://bot.example/").await;
    let made = five(world).await;
    world.record(&made[1], attempt(1, 503), DeliveryState::Waiting).await;
    world.record(&made[2], attempt(1, 503), DeliveryState::Waiting).await;
    world.record(&made[2], attempt(2, 204), DeliveryState::Delivered).await;
    let listed = world.listed(ALL_IDS, Oldest, 3).await;
    let last: Vec<_> = listed.iter().map(|it| (it.last_status, it.last_error)).collect();
    let failed = (Some(503), Some(ErrorClass::Status5xx));
    assert_eq!(last, [(None, None), failed, (Some(204), None)]);
    assert_eq!(listed[2].pending.progress.standing, DeliveryState::Delivered);
    assert_eq!((listed[1].kind, listed[1].pending.sequence), (Bot, 1));
    assert_eq!(listed[1].pending.created_at, made[1].created_at);
}

pub async fn a_delivery_of_another_app_is_not_found(world: &World) {
    world.put_endpoint(Bot, "https://bot.example/").await;
    let made = world.notify_in_lane(7, "mine", &[Bot]).await.remove(0);
    let other = world.another_app("other").await;
    assert!(world.delivery(made.id).await.is_some());
    assert!(other.delivery(made.id).await.is_none());
    assert!(world.delivery(DeliveryId(made.id.0 + 1)).await.is_none());
}

pub async fn logged_attempts_are_paged_with_the_newest_delivery_first(world: &World) {
    world.put_endpoint(Bot, "https://bot.example/").await;
    let made = five(world).await;
    for delivery in [&made[3], &made[0]] {
        world.record(delivery, attempt(1, 500), DeliveryState::Waiting).await;
        world.record(delivery, attempt(2, 200), DeliveryState::Delivered).await;
    }
    let other = world.another_app("other").await;
    let expected = [(3, 2), (3, 1), (0, 2), (0, 1)].map(|(it, number)| (made[it].id, number));
    for (skipped, size) in [(0, 10), (0, 2), (1, 2), (3, 5), (4, 5)] {
        let logged = world.store.logged_attempts(world.app, skipped, size).await.expect("read");
        let found: Vec<_> = logged.iter().map(|it| (it.delivery, it.attempt.number)).collect();
        let page: Vec<_> = expected.into_iter().skip(skipped as usize).take(size).collect();
        assert_eq!(found, page);
    }
    let logged = world.store.logged_attempts(world.app, 0, 1).await.expect("read").remove(0);
    assert_eq!(logged.attempt, attempt(2, 200));
    assert_eq!((logged.endpoint, logged.body.as_str()), (made[3].endpoint, "body 4"));
    assert!(other.store.logged_attempts(other.app, 0, 10).await.expect("read").is_empty());
}

pub async fn a_backlog_counts_the_unfinished_deliveries_of_an_endpoint(world: &World) {
    let bot = world.put_endpoint(Bot, "https://bot.example/").await;
    let session = world.put_endpoint(NewSession, "https://session.example/").await;
    assert_eq!(world.store.backlogs(world.app).await.expect("read"), []);
    let made = five(world).await;
    let late = world.notify_in_lane(1, "late", &[NewSession]).await.remove(0);
    let other = world.another_app("other").await;
    other.put_endpoint(Bot, "https://bot.example/").await;
    other.notify_in_lane(1, "of another app", &[Bot]).await;
    world.record(&made[0], attempt(1, 200), DeliveryState::Delivered).await;
    world.record(&made[1], attempt(1, 500), DeliveryState::Failed).await;
    world.record(&made[2], attempt(1, 500), DeliveryState::Parked).await;
    let mut backlogs = world.store.backlogs(world.app).await.expect("read");
    backlogs.sort_by_key(|backlog| backlog.endpoint);
    let found: Vec<_> = backlogs.iter().map(|it| (it.endpoint, it.waiting, it.oldest)).collect();
    let expected = [(bot.id, 3, made[2].created_at), (session.id, 1, late.created_at)];
    assert_eq!(found, expected);
    assert_eq!(other.store.backlogs(other.app).await.expect("read").len(), 1);
}

pub async fn failed_channel_events_are_counted_until_they_are_replayed(world: &World) {
    let (events, bot) = (
        world.put_endpoint(ChannelEvent, "https://channel.example/").await,
        world.put_endpoint(Bot, "https://bot.example/").await,
    );
    let mut made = Vec::new();
    for lane in 1..=3 {
        made.extend(world.notify_in_lane(lane, "hello", &[ChannelEvent]).await);
    }
    let sent = world.notify_in_lane(4, "hello", &[Bot]).await.remove(0);
    let standings = [DeliveryState::Failed, DeliveryState::Failed, DeliveryState::Delivered];
    for (delivery, standing) in made.iter().zip(standings) {
        world.record(delivery, attempt(1, 503), standing).await;
    }
    world.record(&sent, attempt(1, 503), DeliveryState::Failed).await;
    let given_up = async |endpoint| world.store.given_up_events(endpoint).await.expect("counted");
    assert_eq!((given_up(events.id).await, given_up(bot.id).await), (2, 0));
    world.replay(&made[0]).await;
    assert_eq!(given_up(events.id).await, 1);
}

pub async fn old_deliveries_are_purged_and_newer_ones_stay_with_their_attempts(world: &World) {
    world.put_endpoint(Bot, "https://bot.example/").await;
    world.purge(Timestamp(0), MORNING).await;
    let old = five(world).await;
    world.record(&old[0], attempt(1, 500), DeliveryState::Failed).await;
    for delivery in &old[1..] {
        world.record(delivery, attempt(1, 200), DeliveryState::Delivered).await;
    }
    world.stamps.advance_seconds(2 * DAY_S);
    let new = five(world).await;
    world.record(&new[0], attempt(1, 500), DeliveryState::Waiting).await;
    world.record(&new[1], attempt(1, 200), DeliveryState::Delivered).await;
    let now = Timestamp(MORNING.0 + 3 * DAY_S * 1_000_000);
    world.purge(MORNING, now).await;
    assert_eq!(world.listed(ALL_IDS, Oldest, 20).await.len(), 10, "no delivery is older");
    // Where whole days are purged, yesterday is a whole day.
    world.purge(Timestamp(MORNING.0 + DAY_S * 1_000_000), now).await;
    for world in [world, &world.reopened().await] {
        let left = ids(&world.listed(ALL_IDS, Oldest, 20).await);
        assert_eq!(left, new.iter().map(|it| it.id).collect::<Vec<_>>());
        assert!(world.delivery(old[0].id).await.is_none());
        assert_eq!(world.progress(&new[0]).await.1, [attempt(1, 500)]);
        assert_eq!(world.progress(&new[1]).await.1, [attempt(1, 200)]);
        let logged = world.store.logged_attempts(world.app, 0, 10).await.expect("read");
        assert_eq!(logged.len(), 2);
        assert_eq!(world.all_waiting().await.len(), 4);
    }
}

pub async fn unfinished_deliveries_are_never_purged(world: &World) {
    world.put_endpoint(Bot, "https://bot.example/").await;
    world.purge(Timestamp(0), MORNING).await;
    let old = five(world).await;
    world.record(&old[0], attempt(1, 500), DeliveryState::Parked).await;
    world.record(&old[1], attempt(1, 500), DeliveryState::Waiting).await;
    let now = Timestamp(MORNING.0 + 40 * DAY_S * 1_000_000);
    world.purge(now, now).await;
    assert_eq!(world.all_waiting().await.len(), 5);
    for delivery in &old[..2] {
        assert_eq!(world.progress(delivery).await.1, [attempt(1, 500)]);
    }
}

pub async fn many_deliveries_are_purged_in_several_commits_during_other_writes(world: &World) {
    world.put_endpoint(Bot, "https://bot.example/").await;
    let writers = (0..30).map(|lane| {
        let world = world.clone();
        async move {
            for _ in 0..40 {
                let sent = world.notify_in_lane(lane, "old", &[Bot]).await.remove(0);
                world.record(&sent, attempt(1, 200), DeliveryState::Delivered).await;
            }
        }
    });
    side_by_side(writers).await;
    const { assert!(30 * 40 > 2 * limits::PURGED_PER_COMMIT) };
    world.stamps.advance_seconds(2 * DAY_S);
    let before = Timestamp(MORNING.0 + DAY_S * 1_000_000);
    let now = Timestamp(MORNING.0 + 2 * DAY_S * 1_000_000);
    let (_, made) = tokio::join!(world.purge(before, now), five(world));
    let left = ids(&world.listed(ALL_IDS, Oldest, 5_000).await);
    assert_eq!(left, made.iter().map(|it| it.id).collect::<Vec<_>>());
    let sent = world.notify_in_lane(1, "next", &[Bot]).await.remove(0);
    assert_eq!(sent.sequence, 42, "lanes are not purged");
}
