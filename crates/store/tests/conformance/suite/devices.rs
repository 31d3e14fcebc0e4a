//! Client data: devices for push notifications, and blocked users.

use confab_domain::decision::change::UserChange;
use confab_domain::ids::{RoomId, UserKey};
use confab_domain::limits;
use confab_domain::people::blocking::{BlockUser, UnblockUser};
use confab_domain::people::device::Device;
use confab_domain::people::registering_devices::{PutDevice, RemoveDevice};

use crate::world::{World, everywhere, named, user_id};

async fn put(world: &World, user: UserKey, token: &str, platform: &str, is_development: bool) {
    let (token, platform) = (token.to_owned(), platform.to_owned());
    let device = Device { token, platform, is_development };
    world.decide(PutDevice { user, device }).await.expect("put");
}

async fn device(world: &World, user: UserKey, token: &str) -> Option<(String, bool)> {
    world.store.device(user, token).await.expect("read")
}

pub async fn a_device_belongs_to_one_user_of_an_app_at_a_time(world: &World) {
    world.register(&["ana", "bob"]).await;
    let other = world.another_app("other").await;
    other.register(&["ana"]).await;
    let (ana, bob) = (world.user("ana").await.key, world.user("bob").await.key);
    let theirs = other.user("ana").await.key;
    put(world, ana, "phone", "ios", true).await;
    put(world, ana, "tablet", "android", false).await;
    put(&other, theirs, "phone", "ios", false).await;
    assert_eq!(device(world, ana, "phone").await, Some(("ios".to_owned(), true)));
    put(world, ana, "phone", "ios", false).await;
    assert_eq!(
        device(world, ana, "phone").await,
        Some(("ios".to_owned(), false)),
        "the device is replaced"
    );
    put(world, bob, "phone", "ios", true).await;
    let world = everywhere(world, async |world| {
        assert_eq!(device(world, bob, "phone").await, Some(("ios".to_owned(), true)));
        assert_eq!(device(world, ana, "phone").await, None, "the device belongs to bob now");
        assert_eq!(device(world, ana, "tablet").await, Some(("android".to_owned(), false)));
        let found = device(world, theirs, "phone").await;
        assert_eq!(found, Some(("ios".to_owned(), false)), "in another app it is another device");
        assert_eq!(device(world, ana, "nothing").await, None);
    })
    .await;
    put(&world, ana, "watch", "ios", false).await;
    let token = "tablet".to_owned();
    world.decide(RemoveDevice { user: ana, token }).await.expect("removed");
    assert_eq!(device(&world, ana, "tablet").await, None);
    assert!(device(&world, ana, "watch").await.is_some());
    world.change(vec![UserChange::RemoveDevices { user: ana }.into()]).await;
    assert_eq!(device(&world, ana, "watch").await, None);
    assert!(
        device(&world, bob, "phone").await.is_some(),
        "only the user's own devices are removed"
    );
}

pub async fn only_the_newest_devices_of_a_user_are_retained(world: &World) {
    world.register(&["ana"]).await;
    let ana = world.user("ana").await.key;
    for number in 0..limits::DEVICES_OF_USER_MAX + 2 {
        world.stamps.advance_seconds(1);
        put(world, ana, &number.to_string(), "ios", false).await;
    }
    let mut kept = Vec::new();
    for number in 0..limits::DEVICES_OF_USER_MAX + 2 {
        kept.push(device(world, ana, &number.to_string()).await.is_some());
    }
    assert_eq!(kept[..3], [false, false, true]);
    assert_eq!(kept.iter().filter(|it| **it).count(), limits::DEVICES_OF_USER_MAX);
}

async fn block(world: &World, by: &str, other: &str) {
    let (user, other) = (world.user(by).await.key, user_id(other));
    let blocked_before = 0;
    world.decide(BlockUser { user, other, blocked_before }).await.expect("blocked");
    world.stamps.advance_seconds(1);
}

async fn unblock(world: &World, by: &str, other: &str) {
    let (user, other) = (world.user(by).await.key, user_id(other));
    world.decide(UnblockUser { user, other }).await.expect("unblocked");
}

/// Returns a page of the users that a user blocks, and their total number.
async fn blocked(world: &World, by: &str, skipped: u64, size: usize) -> (Vec<String>, u64) {
    let user = world.user(by).await.key;
    let found = world.store.blocked(user, skipped, size).await.expect("read");
    (found.users.iter().map(|it| it.user_id.as_str().to_owned()).collect(), found.total)
}

pub async fn blocked_users_are_listed_newest_first_by_page(world: &World) {
    world.register(&["ana", "bob", "cid", "dan"]).await;
    for other in ["cid", "bob", "dan", "cid"] {
        block(world, "ana", other).await;
    }
    block(world, "bob", "ana").await;
    let (ana, bob) = (world.user("ana").await.key, world.user("bob").await.key);
    let cid = world.user("cid").await.key;
    let world = everywhere(world, async |world| {
        let all = ["dan", "bob", "cid"];
        assert_eq!(
            blocked(world, "ana", 0, 10).await,
            (named(&all), 3),
            "each user once, since the first block"
        );
        assert_eq!(blocked(world, "ana", 1, 1).await, (named(&all[1..2]), 3));
        assert_eq!(blocked(world, "ana", u64::MAX, 10).await, (named(&[]), 3));
        assert_eq!(blocked(world, "cid", 0, 10).await, (named(&[]), 0));
        for (user, other, expected) in
            [(ana, bob, true), (bob, ana, true), (ana, cid, true), (cid, ana, false)]
        {
            let found = world.store.has_blocked(user, other).await.expect("read");
            assert_eq!(found, expected);
        }
    })
    .await;
    unblock(&world, "ana", "bob").await;
    assert_eq!(blocked(&world, "ana", 0, 10).await, (named(&["dan", "cid"]), 2));
    assert!(!world.store.has_blocked(ana, bob).await.expect("read"));
    assert!(world.store.has_blocked(bob, ana).await.expect("read"), "only bob can unblock ana");
}

pub async fn a_blocked_user_is_blocked_in_rooms_shared_with_the_blocking_user(world: &World) {
    world.register(&["ana", "bob", "cid"]).await;
    let both = world.open_group("both", &["ana", "bob", "cid"]).await.id;
    let without_ana = world.open_group("without ana", &["bob", "cid"]).await.id;
    let without_bob = world.open_group("without bob", &["ana", "cid"]).await.id;
    block(world, "ana", "bob").await;
    let (ana, bob) = (world.user("ana").await.key, world.user("bob").await.key);
    let cid = world.user("cid").await.key;
    let world = everywhere(world, async |world| {
        for (room, user, expected) in [
            (both, bob, true),
            (both, ana, false),
            (both, cid, false),
            (without_ana, bob, false),
            (without_bob, bob, false),
            (RoomId(1), bob, false),
        ] {
            let found = world.store.is_blocked_in(room, user).await.expect("read");
            assert_eq!(found, expected, "{user} in {room}");
        }
    })
    .await;
    unblock(&world, "ana", "bob").await;
    assert!(!world.store.is_blocked_in(both, bob).await.expect("read"));
}
