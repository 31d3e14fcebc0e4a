//! Secrets: sealed with keys that are not in the database (D-0086), and changes of keys (D-0086).

use std::sync::Arc;

use confab_domain::decision::change::{Change, WebhookChange};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{DeliveryId, EndpointId};
use confab_domain::webhooks::delivery::{Delivery, Lane};
use confab_domain::webhooks::event_kind::EventKind;
use confab_store::{Sealer, Secrets, Store, StoreError};

use crate::keys::TestKeys;
use crate::stamps::{MORNING, TestStamps};
use crate::world::{World, user_id};

const KEY_IN_BODY: &str = "sdk-key-in-a-body";

/// Everything that must be unreadable with access to the database alone.
const SECRETS: [&str; 6] = [
    "acme-sdk-secret",
    "acme-secret-key",
    "acme-staged-key",
    "acme-system-token",
    "token of ana of acme",
    KEY_IN_BODY,
];

/// Creates an app with a staged key, ana and bob, and a webhook delivery that contains a key.
async fn fill(world: &World) -> DeliveryId {
    world.register(&["ana", "bob"]).await;
    let registry = world.engine.registry(world.stamps.clone()).await;
    assert!(registry.stage_key(&world.code, "acme-staged-key").await.expect("written"));
    let app = world.app;
    let rule = move |_: &Facts, stamp: &Stamp<'_>| {
        let delivery = Delivery {
            id: DeliveryId(stamp.next_id()),
            app,
            endpoint: EndpointId(1),
            kind: EventKind::AgentAllocation,
            lane: Lane(7),
            sequence: 1,
            created_at: stamp.now,
            depth: 1,
            body: format!("{{\"sdk_key\":\"{KEY_IN_BODY}\"}}").into(),
        };
        let outcome = delivery.id;
        Ok(Decision::new(vec![Change::Webhook(WebhookChange::InsertDelivery(delivery))], outcome))
    };
    world.store.decide(app, Question::default(), rule).await.expect("created")
}

/// Checks that everything is read as it was written.
async fn check(world: &World, delivery: DeliveryId) {
    let app = world.store.app(&world.code).await.expect("read").expect("exists");
    assert_eq!((app.sdk_secret.as_str(), app.secret_key.as_str()), (SECRETS[0], SECRETS[1]));
    assert_eq!(app.other_key.expect("staged").key, SECRETS[2]);
    for user in ["ana", "bob"] {
        let token = world.store.token(world.app, &user_id(user)).await.expect("read");
        assert_eq!(token, Some(format!("token of {user} of acme")));
        let found = world.store.user_of_token(&token.expect("it exists")).await.expect("read");
        assert_eq!(found.expect("found").user_id, user_id(user));
    }
    let found = world.store.delivery(world.app, delivery).await.expect("read").expect("it exists");
    assert!(found.0.body.contains(KEY_IN_BODY));
}

#[track_caller]
fn check_nothing_is_seen(world: &World) {
    let all = world.engine.all_texts();
    assert!(all.contains("token_hash") || all.contains("acme"), "the dump contains data");
    for secret in SECRETS {
        assert!(!all.contains(secret), "{secret} is readable in the database");
    }
}

/// Opens the store's sealer with other keys, whether or not another one is open.
async fn opened_with(world: &World, keys: &TestKeys) -> Result<Arc<Sealer>, StoreError> {
    Sealer::open(&world.engine.location(), Box::new(keys.clone())).await
}

async fn refusal(world: &World, keys: &TestKeys) -> String {
    opened_with(world, keys).await.err().expect("refused").source.to_string()
}

/// Closes the store and opens it with these keys.
async fn reopened_with(world: &World, keys: &TestKeys) -> World {
    world.store.close().await.expect("closes");
    let sealer = opened_with(world, keys).await.expect("the keys are valid");
    let stamps = Arc::new(TestStamps::at(MORNING));
    let store = Store::open(&world.engine.location(), stamps.clone(), sealer).await;
    World { store: store.expect("opens"), stamps, ..world.clone() }
}

pub async fn secrets_are_readable_through_the_store_but_not_in_the_database(world: &World) {
    let delivery = fill(world).await;
    world.reset_token("bob", "another token of bob").await.expect("reset");
    let token = world.store.token(world.app, &user_id("bob")).await.expect("read");
    assert_eq!(token.as_deref(), Some("another token of bob"));
    let found = world.store.user_of_token("token of bob of acme").await.expect("read");
    assert!(found.is_none(), "the old token is invalid");
    assert!(!world.engine.all_texts().contains("another token of bob"));
    world.reset_token("bob", "token of bob of acme").await.expect("reset");
    check_nothing_is_seen(world);
    check(world, delivery).await;
    check(&world.crashed().await, delivery).await;
}

pub async fn a_secret_copied_to_another_row_is_rejected(world: &World) {
    fill(world).await;
    // An attacker with write access to the database copies ana's token to bob.
    world.engine.sql(
        "UPDATE users SET sealed_token = \
         (SELECT sealed_token FROM users WHERE user_id = 'ana') WHERE user_id = 'bob'",
    );
    let refused = world.store.token(world.app, &user_id("bob")).await.expect_err("refused");
    assert!(
        refused.source.to_string().contains("not encrypted for this location"),
        "{}",
        refused.source
    );
    assert!(world.store.token(world.app, &user_id("ana")).await.expect("read").is_some());
    // Values of another app or column are rejected too.
    world.engine.sql("UPDATE apps SET sdk_secret = secret_key");
    assert!(world.store.app(&world.code).await.is_err());
    // Plain-text secrets are rejected too.
    world.engine.sql("UPDATE apps SET sdk_secret = 'chosen-by-a-stranger'");
    assert!(world.store.app(&world.code).await.is_err());
}

pub async fn keys_of_another_database_are_rejected(world: &World) {
    let delivery = fill(world).await;
    let error = refusal(world, &TestKeys::new(&[2])).await;
    for part in [TestKeys::id(1), TestKeys::id(2), "the test's keys".to_owned()] {
        assert!(error.contains(&part), "{part} in {error}");
    }
    let none = TestKeys::none();
    let error = refusal(world, &none).await;
    assert!(error.contains(&TestKeys::id(1)) && error.contains("is missing"), "{error}");
    assert!(!none.is_there(), "no useless key is created");
    check(world, delivery).await;
}

pub async fn the_first_process_to_open_a_new_store_creates_the_key(world: &World) {
    let (place, keys) = (world.engine.another(), TestKeys::none());
    Sealer::open(&place.location(), Box::new(keys.clone())).await.expect("opens");
    assert!(keys.is_there());
    let other = Sealer::open(&place.location(), Box::new(TestKeys::new(&[1]))).await;
    assert!(other.is_err(), "a second node needs the same key");
    Sealer::open(&place.location(), Box::new(keys)).await.expect("opens again");
}

pub async fn opening_to_serve_fails_only_for_a_folder_that_is_already_served(world: &World) {
    let delivery = fill(world).await;
    let (location, keys) = (world.engine.location(), TestKeys::new(&[1]));
    let to_serve = async || {
        let file = Box::new(keys.clone());
        Secrets::open_to_serve(&location, file, &mut |_| panic!("no secret is in plain text")).await
    };
    let is_shared = world.store.notices().is_some();
    assert_eq!(to_serve().await.is_ok(), is_shared, "a folder can be served by one process only");
    world.store.close().await.expect("closes");
    let secrets = to_serve().await.expect("opens");
    assert!(!secrets.made_file() && !secrets.sealed_clear());
    let stamps = Arc::new(TestStamps::at(MORNING));
    let store = Store::open(&location, stamps.clone(), secrets.sealer()).await.expect("opens");
    check(&World { store, stamps, ..world.clone() }, delivery).await;
    let (place, none) = (world.engine.another(), TestKeys::none());
    let file = Box::new(none.clone());
    let new = Secrets::open_to_serve(&place.location(), file, &mut |_| {}).await.expect("opens");
    assert!(new.made_file() && none.is_there());
}

pub async fn the_key_is_changed_while_the_store_is_in_use(world: &World) {
    let delivery = fill(world).await;
    let keys = TestKeys::new(&[1]);
    let world = &reopened_with(world, &keys).await;
    // The operator's steps: stage, promote, retire. The open store detects them without a restart.
    keys.set(&[1, 2]);
    let location = world.engine.location();
    let secrets = Secrets::open(&location, Box::new(keys.clone()), &mut |_| {}).await;
    let secrets = secrets.expect("opens");
    keys.set(&[2, 1]);
    secrets.introduce(&TestKeys::id(2)).await.expect("written");
    let mut met = 0;
    secrets.reseal(&mut |far| met += far.rows).await.expect("resealed");
    assert!(met >= 4, "{met}");
    assert_eq!(secrets.sealed_with(&TestKeys::id(1)).await.expect("counted"), 0);
    check(world, delivery).await;
    check_nothing_is_seen(world);
    world.register(&["carla"]).await;
    assert_eq!(secrets.sealed_with(&TestKeys::id(1)).await.expect("counted"), 0);
    let error = refusal(world, &TestKeys::new(&[2])).await;
    assert!(error.contains(&TestKeys::id(1)), "the old key is not retired yet: {error}");
    secrets.delete_key(&TestKeys::id(1)).await.expect("purged");
    keys.set(&[2]);
    check(world, delivery).await;
    let world = &reopened_with(world, &keys).await;
    check(world, delivery).await;
    let error = refusal(world, &TestKeys::new(&[1])).await;
    assert!(error.contains(&TestKeys::id(2)), "{error}");
}

pub async fn plain_text_secrets_of_an_older_version_are_sealed(world: &World) {
    let delivery = fill(world).await;
    world.store.close().await.expect("closes");
    // As in an older version, but only half of it: the migration was interrupted.
    for text in [
        "INSERT INTO secrets_in_clear VALUES (1)",
        "UPDATE apps SET sdk_secret = 'acme-sdk-secret', secret_key = 'acme-secret-key'",
        "UPDATE users SET token_hash = 'token of ana of acme', sealed_token = NULL \
         WHERE user_id = 'ana'",
        "UPDATE deliveries SET body = '{\"sdk_key\":\"sdk-key-in-a-body\"}'",
    ] {
        world.engine.sql(text);
    }
    let mut met = Vec::new();
    let (location, keys) = (world.engine.location(), Box::new(TestKeys::new(&[1])));
    let secrets = Secrets::open(&location, keys, &mut |far| met.push(far.what)).await;
    assert!(secrets.expect("opens").sealed_clear());
    assert_eq!(met, ["apps", "users", "deliveries"], "sealed tables are skipped");
    let world = &world.opened_in(world.engine.clone(), MORNING).await;
    check(world, delivery).await;
    check_nothing_is_seen(world);
    let keys = Box::new(TestKeys::new(&[1]));
    let secrets =
        Secrets::open(&location, keys, &mut |_| panic!("no plain-text secret is left")).await;
    assert!(!secrets.expect("opens").sealed_clear());
}

pub async fn starting_over_after_losing_the_key_replaces_every_secret(world: &World) {
    let delivery = fill(world).await;
    world.store.close().await.expect("closes");
    let (location, keys) = (world.engine.location(), TestKeys::none());
    let new = || "a-new-secret-for-all".to_owned();
    let file = Box::new(keys.clone());
    // Two users cannot have the same token.
    world.engine.sql("DELETE FROM users WHERE user_id <> 'ana'");
    Secrets::start_over(&location, file, new, &mut |_| {}).await.expect("done");
    let world = &reopened_with(world, &keys).await;
    let app = world.store.app(&world.code).await.expect("read").expect("exists");
    assert_eq!((app.sdk_secret, app.secret_key), (new(), new()));
    let found = world.store.user_of_token(&new()).await.expect("read").expect("found");
    assert_eq!(found.user_id, user_id("ana"));
    let found = world.store.delivery(world.app, delivery).await.expect("read");
    assert!(found.is_none(), "a body sealed with the lost key is deleted");
    let error = refusal(world, &TestKeys::new(&[1])).await;
    assert!(error.contains(&TestKeys::id(99)), "{error}");
}
