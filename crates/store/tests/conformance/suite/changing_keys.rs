//! Changes of an app's secret key, in steps that cannot be taken out of order
//! (design/sign-in-and-limits).

use confab_domain::app::{App, AppCode, KeyState};
use confab_domain::decision::stamp::Stamps;
use confab_domain::time::Timestamp;
use confab_store::Registry;

use crate::stamps::MORNING;
use crate::world::{World, side_by_side};

const A_DAY_S: i64 = 86_400;

async fn registry(world: &World) -> Registry {
    world.engine.registry(world.stamps.clone()).await
}

/// Returns the app's keys, after checking that all reads agree.
async fn keys(world: &World) -> String {
    let by_code = world.store.app(&world.code).await.expect("read").expect("exists");
    let by_id = world.store.app_by_id(world.app).await.expect("read").expect("exists");
    let listed = registry(world).await.apps().await.expect("read");
    let listed = listed.into_iter().find(|app| app.id == world.app).expect("listed");
    assert_eq!(formatted(&by_code), formatted(&by_id));
    assert_eq!(formatted(&by_code), formatted(&listed));
    formatted(&by_code)
}

fn formatted(app: &App) -> String {
    match app.other_key.as_ref().map(|other| (&other.key, other.standing)) {
        None => app.secret_key.clone(),
        Some((key, KeyState::Staged)) => format!("{}, staged {key}", app.secret_key),
        Some((key, KeyState::Old { until })) => {
            let days = (until.0 - MORNING.0) / (A_DAY_S * 1_000_000);
            format!("{}, old {key} until day {days}", app.secret_key)
        }
    }
}

fn in_days(world: &World, days: u32) -> Timestamp {
    world.stamps.now().days_later(days)
}

pub async fn a_key_is_staged_then_promoted_then_retired(world: &World) {
    let registry = registry(world).await;
    let end = in_days(world, 7);
    assert_eq!(keys(world).await, "acme-secret-key");
    assert!(
        !registry.promote_key(&world.code, end).await.expect("the call succeeds"),
        "no key is staged"
    );
    assert!(
        !registry.retire_key(&world.code).await.expect("the call succeeds"),
        "there is no old key"
    );

    assert!(registry.stage_key(&world.code, "new").await.expect("written"));
    assert_eq!(keys(world).await, "acme-secret-key, staged new");
    assert!(
        !registry.retire_key(&world.code).await.expect("the call succeeds"),
        "the key is not promoted yet"
    );
    assert_eq!(keys(&world.crashed().await).await, "acme-secret-key, staged new");

    assert!(registry.promote_key(&world.code, end).await.expect("written"));
    assert_eq!(keys(world).await, "new, old acme-secret-key until day 7");
    let later = in_days(world, 30);
    assert!(
        !registry.promote_key(&world.code, later).await.expect("the call succeeds"),
        "the old key cannot be promoted"
    );
    assert!(
        !registry.unstage_key(&world.code).await.expect("the call succeeds"),
        "no key is staged"
    );
    assert_eq!(keys(&world.crashed().await).await, "new, old acme-secret-key until day 7");

    assert!(
        registry.retire_key(&world.code).await.expect("written"),
        "also before the old key expires"
    );
    assert_eq!(keys(world).await, "new");
    assert!(
        !registry.retire_key(&world.code).await.expect("the call succeeds"),
        "the old key is deleted"
    );
    assert_eq!(keys(&world.crashed().await).await, "new");
}

pub async fn a_staged_key_can_be_unstaged_and_another_one_staged(world: &World) {
    let registry = registry(world).await;
    assert!(
        !registry.unstage_key(&world.code).await.expect("the call succeeds"),
        "no key is staged"
    );
    assert!(registry.stage_key(&world.code, "lost").await.expect("written"));
    assert!(
        !registry.stage_key(&world.code, "second").await.expect("the call succeeds"),
        "another key is staged"
    );
    assert_eq!(keys(world).await, "acme-secret-key, staged lost");
    assert!(registry.unstage_key(&world.code).await.expect("written"));
    assert_eq!(keys(world).await, "acme-secret-key");
    assert!(registry.stage_key(&world.code, "second").await.expect("written"));
    assert_eq!(keys(world).await, "acme-secret-key, staged second");
}

pub async fn a_new_key_cannot_be_staged_before_the_old_key_expires(world: &World) {
    let registry = registry(world).await;
    assert!(registry.stage_key(&world.code, "second").await.expect("written"));
    assert!(registry.promote_key(&world.code, in_days(world, 1)).await.expect("written"));
    world.stamps.advance_seconds(A_DAY_S - 1);
    assert!(
        !registry.stage_key(&world.code, "third").await.expect("the call succeeds"),
        "the old key is still valid"
    );
    assert_eq!(keys(world).await, "second, old acme-secret-key until day 1");
    world.stamps.advance_seconds(1);
    assert!(registry.stage_key(&world.code, "third").await.expect("written"), "at its expiry");
    assert_eq!(keys(world).await, "second, staged third");
}

/// Takes a step in eight commands concurrently, each with a thread and a connection of its own.
/// Returns the numbers of the successful ones.
async fn at_once(
    world: &World,
    step: impl AsyncFn(Registry, usize) -> bool + Copy + Send + 'static,
) -> Vec<usize> {
    let commands = (0..8).map(|number| {
        let world = world.clone();
        let command = async move || step(registry(&world).await, number).await.then_some(number);
        let thread = move || tokio::runtime::Handle::current().block_on(command());
        async move { tokio::task::spawn_blocking(thread).await.expect("ends") }
    });
    side_by_side(commands).await.into_iter().flatten().collect()
}

pub async fn only_one_of_several_concurrent_key_steps_succeeds(world: &World) {
    let acme = || AppCode::parse("acme").expect("valid");
    let stage = async move |registry: Registry, number: usize| {
        registry.stage_key(&acme(), &format!("new-{number}")).await.expect("the call succeeds")
    };
    let staged = at_once(world, stage).await;
    assert_eq!(staged.len(), 1, "{staged:?}");
    let new = format!("new-{}", staged[0]);
    assert_eq!(keys(world).await, format!("acme-secret-key, staged {new}"));

    let end = in_days(world, 7);
    let promote = async move |registry: Registry, _: usize| {
        registry.promote_key(&acme(), end).await.expect("the call succeeds")
    };
    assert_eq!(at_once(world, promote).await.len(), 1);
    assert_eq!(keys(world).await, format!("{new}, old acme-secret-key until day 7"));
}

pub async fn setting_keys_directly_ends_a_key_change_in_progress(world: &World) {
    let registry = registry(world).await;
    assert!(registry.stage_key(&world.code, "staged").await.expect("written"));
    assert!(registry.set_keys(&world.code, "sdk", "at once").await.expect("written"));
    assert_eq!(keys(world).await, "at once");
    assert!(registry.stage_key(&world.code, "next").await.expect("written"));
    assert!(registry.promote_key(&world.code, in_days(world, 30)).await.expect("written"));
    assert!(registry.set_keys(&world.code, "sdk", "at once again").await.expect("written"));
    assert_eq!(keys(world).await, "at once again");
}

pub async fn a_key_step_changes_only_the_named_app(world: &World) {
    let other = world.another_app("other").await;
    let registry = registry(world).await;
    let (nobody, end) = (AppCode::parse("nobody").expect("valid"), in_days(world, 7));
    assert!(!registry.stage_key(&nobody, "new").await.expect("the call succeeds"));
    assert!(registry.stage_key(&world.code, "new").await.expect("written"));
    assert!(registry.stage_key(&other.code, "theirs").await.expect("written"));
    assert!(!registry.promote_key(&nobody, end).await.expect("the call succeeds"));
    assert!(registry.promote_key(&world.code, end).await.expect("written"));
    assert_eq!(keys(&other).await, "other-secret-key, staged theirs");
    assert!(registry.promote_key(&other.code, end).await.expect("written"));
    assert!(!registry.retire_key(&nobody).await.expect("the call succeeds"));
    assert!(registry.retire_key(&world.code).await.expect("written"));
    assert_eq!(keys(&other).await, "theirs, old other-secret-key until day 7");
    assert!(registry.retire_key(&other.code).await.expect("written"));
    assert!(registry.stage_key(&world.code, "newer").await.expect("written"));
    assert!(registry.stage_key(&other.code, "their next").await.expect("written"));
    assert!(!registry.unstage_key(&nobody).await.expect("the call succeeds"));
    assert!(registry.unstage_key(&world.code).await.expect("written"));
    assert_eq!(
        (keys(world).await, keys(&other).await),
        ("new".into(), "theirs, staged their next".into())
    );
}
