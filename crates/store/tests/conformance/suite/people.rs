//! Users: changes are visible at once, to readers and to the next decision (design/message-api).

use confab_domain::json_text::JsonText;
use confab_domain::people::registering::Profile;
use confab_domain::refusal::Refusal;

use crate::world::{World, draft_by, failure, refusal, side_by_side};

pub async fn registration_replaces_given_fields_and_retains_absent_ones(world: &World) {
    let extras = Some(JsonText::from_checked(r#"{"b":1.0,"a":2}"#));
    let avatar_url = Some("https://example.com/ana.png".to_owned());
    let whole = Profile { extras, avatar_url, ..world.profile("ana", "Ana") };
    let registered = world.login(whole).await.expect("registered");
    assert_eq!(world.user("ana").await, *registered);
    world.stamps.advance_seconds(60);
    let renamed = world.login(world.profile("ana", "Ana B.")).await.expect("updated");
    assert_eq!(renamed.username, "Ana B.");
    assert_eq!(
        (&renamed.extras, &renamed.avatar_url),
        (&registered.extras, &registered.avatar_url)
    );
    assert_eq!((renamed.key, renamed.created_at), (registered.key, registered.created_at));
    assert!(renamed.updated_at > registered.updated_at);
    assert_eq!(world.user("ana").await, *renamed);
    let unchanged =
        world.login(world.profile("ana", "Ana B.")).await.expect("an unchanged update succeeds");
    assert_eq!(unchanged, renamed);
    assert_eq!(world.reopened().await.user("ana").await, *renamed);
}

pub async fn a_renamed_user_has_the_new_name_on_old_pages_and_new_posts(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    world.post("support", "ana", "before").await;
    assert_eq!(world.page("support", 1, 20).await[0].sender.username, "ana");
    world.rename("ana", "Ana B.").await;
    assert_eq!(world.page("support", 1, 20).await[0].sender.username, "Ana B.");
    let posted = world.try_post("support", draft_by("ana", "after")).await.expect("posted");
    assert_eq!(posted.sender.username, "Ana B.");
    let page = world.page("support", 1, 20).await;
    let names: Vec<_> = page.iter().map(|posted| posted.sender.username.as_str()).collect();
    assert_eq!(names, ["Ana B.", "Ana B."]);
}

/// Readers that began before the change must not restore the old page in a cache.
pub async fn changes_are_visible_at_once_despite_concurrent_reads(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    world.post_many("support", "ana", 30).await;
    let (changing, is_changing) = tokio::sync::watch::channel(());
    let readers = (0..3).map(|_| {
        let (world, is_changing) = (world.clone(), is_changing.clone());
        async move {
            while is_changing.has_changed().is_ok() {
                world.page("support", 1, 20).await;
                tokio::task::yield_now().await;
            }
        }
    });
    let changes = async {
        for round in 0..150 {
            let name = format!("ana {round}");
            world.rename("ana", &name).await;
            let page = world.page("support", 1, 20).await;
            assert!(page.iter().all(|posted| posted.sender.username == name), "{name}");
            let message = world.post("support", "ana", "soon gone").await;
            assert_eq!(world.page("support", 1, 20).await[0].message, message);
            world.delete(&[&message]).await;
            assert_ne!(world.page("support", 1, 20).await[0].message.id, message.id);
        }
        drop(changing);
    };
    tokio::join!(side_by_side(readers), changes);
}

pub async fn a_deactivated_user_may_not_post_until_reactivated(world: &World) {
    world.register(&["ana", "bob"]).await;
    world.open_group("support", &["ana", "bob"]).await;
    world.post("support", "ana", "one").await;
    world.set_active(&["ana"], false).await.expect("deactivated");
    assert!(!world.user("ana").await.is_active);
    let gone = Refusal::UserDeactivated("ana".to_owned());
    assert_eq!(refusal(world.try_post("support", draft_by("ana", "two")).await), gone);
    assert_eq!(refusal(world.login(world.profile("ana", "Ana")).await), gone);
    let reopened = world.reopened().await;
    assert_eq!(refusal(reopened.try_post("support", draft_by("ana", "two")).await), gone);
    reopened.set_active(&["ana"], true).await.expect("reactivated");
    reopened.post("support", "ana", "three").await;
    assert_eq!(reopened.texts("support", 1, 20).await, ["three", "one"]);
}

pub async fn deactivation_changes_no_user_if_one_is_unknown(world: &World) {
    world.register(&["ana"]).await;
    let refused = refusal(world.set_active(&["ana", "eve"], false).await);
    assert_eq!(refused, Refusal::UsersNotFound(vec!["eve".to_owned()]));
    assert!(world.user("ana").await.is_active);
}

pub async fn a_new_token_replaces_the_old_one(world: &World) {
    world.register(&["ana", "bob"]).await;
    assert_eq!(world.token("ana").await, "token of ana of acme");
    world.reset_token("ana", "new").await.expect("reset");
    assert_eq!(world.token("ana").await, "new");
    assert_eq!(world.token("bob").await, "token of bob of acme");
    world.rename("ana", "Ana").await;
    assert_eq!(world.token("ana").await, "new", "only a reset changes it");
    assert_eq!(world.reopened().await.token("ana").await, "new");
}

pub async fn two_users_cannot_have_the_same_token(world: &World) {
    world.register(&["ana", "bob"]).await;
    failure(world.reset_token("ana", "token of bob of acme").await);
    assert_eq!(world.token("ana").await, "token of ana of acme");
}

pub async fn concurrent_registrations_of_one_user_create_one_user(world: &World) {
    let writer = world.hold_writer().await;
    let logins = (0..30).map(|_| {
        let world = world.clone();
        async move { world.login(world.profile("ana", "Ana")).await.expect("registered").key }
    });
    let (keys, ()) = tokio::join!(side_by_side(logins), writer.release());
    assert!(keys.iter().all(|key| *key == keys[0]));
}

pub async fn clients_cannot_post_as_change_or_add_the_system_user(world: &World) {
    let system = "system@acme";
    world.open_group("support", &[]).await;
    let refused = Refusal::SystemUser(system.to_owned());
    assert_eq!(refusal(world.try_post("support", draft_by(system, "hi")).await), refused);
    assert_eq!(refusal(world.login(world.profile(system, "Me")).await), refused);
    assert_eq!(refusal(world.set_active(&[system], false).await), refused);
    assert_eq!(refusal(world.reset_token(system, "mine").await), refused);
    assert_eq!(refusal(world.add("support", &[system]).await), refused);
    assert_eq!(world.user(system).await.username, "System");
    assert_eq!(world.token(system).await, "acme-system-token");
}
