//! Search for users: by key, by id, by text; and hidden users.

use confab_domain::agents::role::Role;
use confab_domain::ids::UserKey;
use confab_domain::people::registering::Profile;

use crate::world::{World, everywhere, named, user_id};

pub async fn a_user_is_found_by_key_in_their_own_app_only(world: &World) {
    world.register(&["ana"]).await;
    let other = world.another_app("other").await;
    other.register(&["ana"]).await;
    let (own, theirs) = (world.user("ana").await, other.user("ana").await);
    let by_sms = world.admit(&world.connect("sms").await, "ana").await.customer;
    world.set_active(&["ana"], false).await.expect("deactivated");
    everywhere(world, async |world| {
        let by_key = async |app, key| world.store.user_by_key(app, key).await.expect("read");
        let found = by_key(world.app, own.key).await.expect("found");
        assert_eq!((found.user_id, found.is_active), (own.user_id.clone(), false));
        assert_eq!(by_key(other.app, theirs.key).await, Some(theirs.clone()));
        let found = by_key(world.app, by_sms).await.expect("found");
        assert_eq!((found.key, found.user_id), (by_sms, user_id("ana")));
        assert_eq!(by_key(other.app, own.key).await, None);
        assert_eq!(by_key(world.app, theirs.key).await, None);
        assert_eq!(by_key(world.app, UserKey(1)).await, None);
    })
    .await;
}

pub async fn a_token_resolves_to_its_user_even_if_deactivated(world: &World) {
    world.register(&["ana", "bob"]).await;
    world.set_active(&["bob"], false).await.expect("deactivated");
    world.reset_token("ana", "new token of ana").await.expect("reset");
    everywhere(world, async |world| {
        let of = async |token| world.store.user_of_token(token).await.expect("read");
        for (user, token) in [("ana", "new token of ana"), ("bob", "token of bob of acme")] {
            let user = world.user(user).await;
            assert_eq!(of(token).await, Some(user.clone()));
            let kept = world.store.token_of(user.key).await.expect("read");
            assert_eq!(kept.as_deref(), Some(token));
        }
        assert_eq!(of("token of ana of acme").await, None, "the old token was replaced");
        assert_eq!(of("").await, None);
        assert_eq!(world.store.token_of(UserKey(1)).await.expect("read"), None);
    })
    .await;
}

pub async fn a_password_belongs_to_the_apps_own_user_and_stays_until_replaced(world: &World) {
    let with = |world: &World, user: &str, hash: Option<&str>| Profile {
        password_hash: hash.map(str::to_owned),
        ..world.profile(user, user)
    };
    world.login(with(world, "ana", Some("first"))).await.expect("registered");
    world.login(with(world, "bob", None)).await.expect("registered");
    let other = world.another_app("other").await;
    other.login(with(&other, "ana", Some("theirs"))).await.expect("registered");
    world.admit(&world.connect("sms").await, "cid").await;
    let password = async |world: &World, app, user: &str| {
        world.store.user_password(app, &user_id(user)).await.expect("read")
    };
    world.rename("ana", "Ana").await;
    assert_eq!(password(world, world.app, "ana").await, Some(Some("first".to_owned())));
    world.login(with(world, "ana", Some("second"))).await.expect("changed");
    everywhere(world, async |world| {
        assert_eq!(password(world, world.app, "ana").await, Some(Some("second".to_owned())));
        assert_eq!(password(world, other.app, "ana").await, Some(Some("theirs".to_owned())));
        assert_eq!(password(world, world.app, "bob").await, Some(None), "bob has no password");
        assert_eq!(
            password(world, world.app, "cid").await,
            None,
            "cid is not a user of the app itself"
        );
        assert_eq!(password(world, world.app, "nobody").await, None);
    })
    .await;
}

/// Returns the user ids found, and their total number.
async fn found(world: &World, text: &str, skipped: u64, size: usize) -> (Vec<String>, u64) {
    let app = world.app_itself().await;
    let found = world.store.find_users(&app, text, skipped, size).await.expect("read");
    (found.users.iter().map(|it| it.user_id.as_str().to_owned()).collect(), found.total)
}

pub async fn users_are_found_by_part_of_their_name_or_id_ordered_by_name(world: &World) {
    for (user, username) in [
        ("u1", "Zoe"),
        ("u2", "Ana Maria"),
        ("u3", "Banana"),
        ("anatol", "100%"),
        ("u5", "Ärzte_ÄNA"),
        ("u6", "An!a"),
    ] {
        world.login(world.profile(user, username)).await.expect("registered");
    }
    world.create_agent("ana", Role::Agent).await;
    world.admit(&world.connect("sms").await, "ana").await;
    world.register(&["gone-ana"]).await;
    world.set_active(&["gone-ana"], false).await.expect("deactivated");
    let other = world.another_app("other").await;
    other.register(&["ana"]).await;
    everywhere(world, async |world| {
        let ana = ["anatol", "u2", "u3"];
        assert_eq!(
            found(world, "ana", 0, 10).await,
            (named(&ana), 3),
            "ordered by name: 100%, Ana, Banana"
        );
        assert_eq!(found(world, "ANA", 0, 10).await, (named(&ana), 3), "in upper and lower case");
        assert_eq!(found(world, "ana", 1, 1).await, (named(&ana[1..2]), 3));
        assert_eq!(found(world, "ana", u64::MAX, 1).await, (named(&[]), 3));
        assert_eq!(
            found(world, "%", 0, 10).await,
            (named(&["anatol"]), 1),
            "wildcards are matched literally"
        );
        assert_eq!(found(world, "_", 0, 10).await, (named(&["u5"]), 1));
        assert_eq!(found(world, "n!a", 0, 10).await, (named(&["u6"]), 1));
        assert_eq!(found(world, "Äna", 0, 10).await, (named(&["u5"]), 1));
        assert_eq!(found(world, "system", 0, 10).await, (named(&[]), 0));
        let all = named(&["anatol", "u6", "u2", "u3", "u1", "u5"]);
        assert_eq!(found(world, "", 0, 10).await, (all, 6), "ordered by name");
    })
    .await;
    assert_eq!(
        found(&other, "ana", 0, 10).await,
        (named(&["ana"]), 1),
        "the user is found in their own app"
    );
}

pub async fn users_are_found_by_short_and_long_texts_and_by_their_current_name(world: &World) {
    let long = "The Society for Names That Are Much Longer Than Any Index Of Pieces Looks At";
    for (user, username) in [("u1", "\u{7530}\u{4e2d}"), ("u2", long), ("u3", "it's \\ \"q\" & *")]
    {
        world.login(world.profile(user, username)).await.expect("registered");
    }
    let other = world.another_app("other").await;
    other.login(other.profile("u9", long)).await.expect("registered");
    for (text, users) in [
        ("\u{4e2d}", &["u1"][..]),
        ("\u{7530}\u{4e2d}", &["u1"]),
        (long, &["u2"]),
        (&long[3..], &["u2"]),
        (&long[..long.len() - 1], &["u2"]),
        ("looks at the", &[]),
        ("u", &["u2", "u3", "u1"]),
        ("u2", &["u2"]),
        ("at", &["u2"]),
        ("'s \\", &["u3"]),
        ("\"q", &["u3"]),
        ("& *", &["u3"]),
        ("*", &["u3"]),
        ("\\", &["u3"]),
        ("*u3", &[]),
    ] {
        assert_eq!(found(world, text, 0, 10).await, (named(users), users.len() as u64), "{text}");
    }
    world.rename("u2", "Ed").await;
    everywhere(world, async |world| {
        assert_eq!(found(world, "society", 0, 10).await, (named(&[]), 0));
        assert_eq!(found(world, "eD", 0, 10).await, (named(&["u2"]), 1));
    })
    .await;
}

pub async fn agents_and_customers_are_hidden_from_users_without_a_shared_room(world: &World) {
    world.register(&["ana", "bob"]).await;
    let agent = world.create_agent("agent", Role::Agent).await;
    let idle = world.create_agent("idle", Role::Agent).await.speaker();
    let sms = world.connect("sms").await;
    let served = world.customer(&sms, "served").await;
    let alone = world.customer(&sms, "alone").await;
    world.assign(served.room, &agent).await;
    let (ana, bob) = (world.user("ana").await.key, world.user("bob").await.key);
    let (agent, others) = (agent.speaker(), world.another_app("other").await);
    others.register(&["eve"]).await;
    let eve = others.user("eve").await.key;
    let all = [ana, bob, agent, idle, served.customer, alone.customer, eve, UserKey(1)];
    let hidden = async |world: &World, user, others: &[UserKey]| {
        let user = world.store.user_by_key(world.app, user).await.expect("read").expect("a user");
        let mut found = world.store.hidden_from(&user, others).await.expect("read");
        found.sort();
        found
    };
    let world = everywhere(world, async |world| {
        let strangers = [agent, idle, served.customer, alone.customer];
        assert_eq!(hidden(world, ana, &all).await, strangers);
        assert_eq!(hidden(world, ana, &[bob, alone.customer]).await, [alone.customer]);
        assert_eq!(hidden(world, ana, &[]).await, []);
        let mut strangers = vec![ana, bob, idle, alone.customer];
        strangers.sort();
        assert_eq!(
            hidden(world, served.customer, &all).await,
            strangers,
            "all users outside the room"
        );
        assert_eq!(hidden(world, agent, &all).await, [idle, alone.customer]);
        let not_idle = [agent, served.customer, alone.customer];
        assert_eq!(hidden(world, idle, &all).await, not_idle, "no user is hidden from themselves");
        let eve = others.user("eve").await;
        let theirs = world.store.hidden_from(&eve, &all).await.expect("read");
        assert_eq!(theirs, [], "users of another app are not reported");
    })
    .await;
    world.add(&alone.room.to_string(), &["ana"]).await.expect("added");
    let strangers = [agent, idle, served.customer];
    assert_eq!(
        hidden(&world, ana, &all).await,
        strangers,
        "ana shares a room with the customer now"
    );
}
