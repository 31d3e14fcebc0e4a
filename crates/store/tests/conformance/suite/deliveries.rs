//! Deliveries: made with their cause or not at all, in order, and never forgotten.

use confab_domain::delivery::{Attempt, ErrorClass, Progress, Standing};
use confab_domain::notice::NoticeKind::{Bot, LoggedOut, NewSession};

use crate::stamps::MORNING;
use crate::world::{World, failure, side_by_side};

async fn world_with_a_room(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
}

pub async fn an_app_has_one_endpoint_for_each_kind(world: &World) {
    let bot = world.put_endpoint(Bot, "https://bot.example/hook").await;
    world.put_endpoint(NewSession, "https://session.example/").await;
    assert_eq!(world.store.endpoints(world.app).await.expect("read")[0], bot);
    world.stamps.advance_seconds(60);
    world.put_endpoint(Bot, "https://other.example/").await;
    let other = world.beside("other").await;
    for world in [world, &world.reopened().await] {
        let kept = world.store.endpoints(world.app).await.expect("read");
        let kinds: Vec<_> = kept.iter().map(|endpoint| endpoint.kind).collect();
        assert_eq!(kinds, [Bot, NewSession]);
        assert_eq!((kept[0].id, kept[0].created_at), (bot.id, bot.created_at), "the same one");
        assert_eq!(kept[0].url, "https://other.example/");
        assert!(kept[0].updated_at > bot.updated_at);
        assert_eq!(world.store.endpoints(other.app).await.expect("read"), []);
    }
}

pub async fn deliveries_of_a_lane_are_numbered_without_a_gap(world: &World) {
    world_with_a_room(world).await;
    let room = world.open_group("other", &["ana"]).await.id;
    let bot = world.put_endpoint(Bot, "https://bot.example/").await;
    world.put_endpoint(NewSession, "https://session.example/").await;
    let tellers = (0..24).map(|number| {
        let world = world.clone();
        let room = if number % 2 == 0 { "support" } else { "other" };
        async move {
            let kinds = [NewSession, Bot, LoggedOut];
            world.post_and_tell(room, &format!("{number}"), &kinds).await.expect("told").len()
        }
    });
    let told = side_by_side(tellers).await;
    assert_eq!(told, [2; 24], "nobody wants to hear of logouts");
    for world in [world, &world.crashed().await, &world.reopened().await] {
        let waiting = world.waiting(room).await;
        let to_bot = waiting.iter().filter(|(delivery, _)| delivery.endpoint == bot.id);
        let sequences: Vec<_> = to_bot.map(|(delivery, _)| delivery.sequence).collect();
        assert_eq!(sequences, (1..=12).collect::<Vec<_>>(), "ids rise with the sequence");
        assert_eq!(waiting.len(), 24);
    }
}

pub async fn a_delivery_is_kept_as_it_was_made(world: &World) {
    world_with_a_room(world).await;
    world.put_endpoint(Bot, "https://bot.example/").await;
    let body = r#"{"text":"Grüße 👋","number":1.0}"#;
    let made = world.post_and_tell("support", body, &[Bot]).await.expect("told").remove(0);
    assert_eq!(made.sequence, 1);
    for world in [world, &world.crashed().await, &world.reopened().await] {
        let found = world.store.delivery(made.lane, made.id).await.expect("read");
        let (delivery, progress, attempts) = found.expect("it is there");
        assert!(delivery == made, "byte for byte");
        assert_eq!((progress, attempts), (Progress::new(made.created_at), vec![]));
    }
}

pub async fn a_decision_that_fails_makes_no_delivery(world: &World) {
    world_with_a_room(world).await;
    let room = world.room("support").await.id;
    world.put_endpoint(Bot, "https://bot.example/").await;
    let writer = world.hold_writer().await;
    let (first, bad, second, ()) = tokio::join!(
        world.post_and_tell("support", "one", &[Bot]),
        world.insert_user_blindly("ana"),
        world.post_and_tell("support", "two", &[Bot]),
        writer.let_go(),
    );
    failure(bad);
    let told = [first.expect("told").remove(0), second.expect("told").remove(0)];
    let mut sequences = told.each_ref().map(|delivery| delivery.sequence);
    sequences.sort();
    assert_eq!(sequences, [1, 2]);
    let waiting = world.waiting(room).await;
    assert_eq!(waiting.len(), 2, "each was made once, although both were decided twice");
}

pub async fn attempts_are_remembered_and_what_is_delivered_waits_no_more(world: &World) {
    world_with_a_room(world).await;
    let room = world.room("support").await.id;
    world.put_endpoint(Bot, "https://bot.example/").await;
    let mut told = Vec::new();
    for text in ["one", "two", "three"] {
        told.extend(world.post_and_tell("support", text, &[Bot]).await.expect("told"));
    }
    let failed = Attempt {
        number: 1,
        at: MORNING,
        error: Some(ErrorClass::Status5xx),
        status: Some(503),
        peer: Some("203.0.113.7:443".to_owned()),
        phases_us: [Some(120), Some(3_000), None, Some(45_000), Some(7)],
        answer: "<html>später</html>".to_owned(),
    };
    let arrived = Attempt {
        number: 2,
        error: None,
        status: Some(200),
        peer: None,
        phases_us: [None; 5],
        answer: String::new(),
        ..failed.clone()
    };
    world.record(&told[0], failed.clone(), Standing::Parked).await;
    world.record(&told[1], arrived.clone(), Standing::Delivered).await;
    world.record(&told[2], failed.clone(), Standing::Failed).await;
    for world in [&world.crashed().await, &world.reopened().await] {
        let waiting = world.waiting(room).await;
        assert_eq!(waiting.len(), 1);
        assert_eq!((waiting[0].0.id, waiting[0].1.standing), (told[0].id, Standing::Parked));
        assert_eq!((waiting[0].1.attempts, waiting[0].1.failed_at), (1, Some(MORNING)));
        world.record(&told[0], arrived.clone(), Standing::Delivered).await;
        let found = world.store.delivery(told[0].lane, told[0].id).await.expect("read");
        let (_, progress, attempts) = found.expect("it is there");
        assert_eq!(progress.standing, Standing::Delivered);
        assert_eq!(attempts, [failed.clone(), arrived.clone()]);
        assert_eq!(world.waiting(room).await.len(), 0);
    }
}
