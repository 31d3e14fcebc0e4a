//! Endpoints: one per kind and name, with their health.

use std::slice::from_ref;

use confab_domain::decision::change::{Change, WebhookChange};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::endpoint::{Endpoint, EndpointFailures, EndpointState};
use confab_domain::webhooks::event_kind::EventKind::{Bot, EndpointState as State, NewSession};

use crate::stamps::MORNING;
use crate::world::World;

fn named(name: &'static str) -> impl Fn(&mut Endpoint) + Send + 'static {
    move |endpoint| endpoint.name = name.to_owned()
}

const FAILING: EndpointFailures = EndpointFailures { since: MORNING, told: 3 };

pub async fn putting_an_endpoint_again_replaces_the_one_of_its_kind(world: &World) {
    let bot = world.put_endpoint(Bot, "https://bot.example/hook").await;
    world.put_endpoint(NewSession, "https://session.example/").await;
    assert_eq!(world.endpoints().await[0], bot);
    world.stamps.advance_seconds(60);
    world.put_endpoint(Bot, "https://other.example/").await;
    let other = world.another_app("other").await;
    for world in [world, &world.reopened().await] {
        let kept = world.endpoints().await;
        let kinds: Vec<_> = kept.iter().map(|endpoint| endpoint.kind).collect();
        assert_eq!(kinds, [Bot, NewSession]);
        assert_eq!(
            (kept[0].id, kept[0].created_at),
            (bot.id, bot.created_at),
            "its id is unchanged"
        );
        assert_eq!(kept[0].url, "https://other.example/");
        assert!(kept[0].updated_at > bot.updated_at);
        assert_eq!(world.store.endpoints(other.app).await.expect("read"), []);
    }
}

pub async fn an_app_can_have_several_endpoints_of_a_kind_with_different_names(world: &World) {
    let mut put = Vec::new();
    for name in ["b", "", "a"] {
        put.push(world.put_endpoint_as(Bot, "https://bot.example/", named(name)).await);
    }
    world.put_endpoint_as(State, "https://state.example/", named("a")).await;
    let sent = world.notify_in_lane(7, "hello", &[Bot]).await;
    assert_eq!(sent.len(), 3);
    assert!(sent.iter().all(|delivery| delivery.sequence == 1), "each has a lane of its own");
    put.sort_by(|a, b| a.name.cmp(&b.name));
    for world in [&world.crashed().await, &world.reopened().await] {
        assert_eq!(world.endpoints().await[..3], put);
        assert_eq!(world.endpoints_for_rules(Bot).await, put, "in the same order");
        assert_eq!(world.endpoints_for_rules(State).await[0].url, "https://state.example/");
    }
}

pub async fn removing_an_endpoint_retains_its_deliveries(world: &World) {
    let bot = world.put_endpoint(Bot, "https://bot.example/").await;
    let other = world.put_endpoint(NewSession, "https://session.example/").await;
    let sent = world.notify_in_lane(7, "hello", &[Bot]).await;
    world.change(vec![Change::Webhook(WebhookChange::RemoveEndpoint { endpoint: bot.id })]).await;
    assert_eq!(world.endpoints_for_rules(Bot).await, []);
    for world in [world, &world.reopened().await] {
        assert_eq!(world.endpoints().await, from_ref(&other));
        let kept = world.store.delivery(world.app, sent[0].id).await.expect("read");
        assert_eq!(kept.map(|it| it.0.endpoint), Some(bot.id));
    }
}

pub async fn an_endpoint_can_be_paused_and_resumed(world: &World) {
    let bot = world.put_endpoint(Bot, "https://bot.example/").await;
    let other = world.put_endpoint(NewSession, "https://session.example/").await;
    for is_paused in [true, false] {
        world
            .change(vec![Change::Webhook(WebhookChange::SetPaused { endpoint: bot.id, is_paused })])
            .await;
        let expected = Endpoint { is_paused, ..bot.clone() };
        assert_eq!(world.endpoints().await, [expected.clone(), other.clone()]);
        assert_eq!(world.endpoints_for_rules(Bot).await, [expected]);
    }
}

pub async fn the_health_of_an_endpoint_is_stored_and_replaced_with_the_endpoint(world: &World) {
    let bot = world.put_endpoint(Bot, "https://bot.example/").await;
    let turned = |failing, is_enabled| {
        Change::Webhook(WebhookChange::SetHealth { endpoint: bot.id, failing, is_enabled })
    };
    world.change(vec![turned(Some(FAILING), true)]).await;
    let failing = Endpoint { failing: Some(FAILING), ..bot.clone() };
    for world in [world, &world.crashed().await] {
        assert_eq!(world.endpoints().await, from_ref(&failing));
        assert_eq!(world.endpoints_for_rules(Bot).await, from_ref(&failing));
    }
    world.change(vec![turned(Some(FAILING), false)]).await;
    assert_eq!(world.endpoints().await[0].state(), EndpointState::Disabled);
    world.put_endpoint(Bot, "https://bot.example/").await;
    assert_eq!(
        world.endpoints().await,
        from_ref(&bot),
        "its health is reset and its id is unchanged"
    );
    let change = |endpoint: &mut Endpoint| {
        endpoint.failing = Some(EndpointFailures { since: Timestamp(5), told: 0 });
        endpoint.is_paused = true;
    };
    world.put_endpoint_as(Bot, "https://bot.example/", change).await;
    let kept = world.endpoints().await.remove(0);
    assert_eq!(
        (kept.failing, kept.is_paused),
        (Some(EndpointFailures { since: Timestamp(5), told: 0 }), true)
    );
    world.change(vec![turned(None, true)]).await;
    assert_eq!(world.endpoints().await[0].failing, None);
}

pub async fn decisions_of_one_batch_see_changes_of_endpoints(world: &World) {
    let bot = world.put_endpoint(Bot, "https://bot.example/").await;
    let health = Change::Webhook(WebhookChange::SetHealth {
        endpoint: bot.id,
        failing: Some(FAILING),
        is_enabled: false,
    });
    let paused = Change::Webhook(WebhookChange::SetPaused { endpoint: bot.id, is_paused: true });
    let writer = world.hold_writer().await;
    let ((), (), found, ()) = tokio::join!(
        world.change(vec![health]),
        world.change(vec![paused]),
        world.endpoints_for_rules(Bot),
        writer.release(),
    );
    let expected =
        Endpoint { failing: Some(FAILING), is_enabled: false, is_paused: true, ..bot.clone() };
    assert_eq!(found, [expected]);
    let writer = world.hold_writer().await;
    let (_, found, ()) = tokio::join!(
        world.put_endpoint(Bot, "https://other.example/"),
        world.endpoints_for_rules(Bot),
        writer.release(),
    );
    assert_eq!(found, world.endpoints().await, "a replaced endpoint keeps its id");
}
