//! Settings of an app, and data on customers' rooms: tags, infos, buttons.

use confab_domain::decision::change::SupportChange;
use confab_domain::ids::{EndpointId, RoomId};
use confab_domain::support::annotations::tag_keeping::{ChangeTag, DeleteTag};
use confab_domain::support::automation::buttons::{Button, ButtonInput, PutButton, RemoveButton};
use confab_domain::support::settings::Settings;
use confab_domain::webhooks::event::{Info, Tag};

use crate::world::{World, everywhere};

pub async fn the_setting_for_sender_extras_is_read_with_the_app(world: &World) {
    assert!(!world.app_itself().await.shows_sender_extras);
    world.set(Settings::SHOWS_SENDER_EXTRAS, "true").await;
    assert!(world.app_itself().await.shows_sender_extras);
    assert!(!world.another_app("other").await.app_itself().await.shows_sender_extras);
    world.set(Settings::SHOWS_SENDER_EXTRAS, "false").await;
    assert!(!world.app_itself().await.shows_sender_extras);
}

pub async fn settings_are_stored_per_app(world: &World) {
    let other = world.another_app("other").await;
    assert_eq!(world.store.settings(world.app).await.expect("read"), Settings::default());
    world.set(Settings::TAKEOVER, "true").await;
    world.set(Settings::ROOM_AGENTS_MAX, "7").await;
    world.set(Settings::ROOM_AGENTS_MAX, "3").await;
    other.set(Settings::USER_LIST, "off").await;
    world.set(Settings::FORCES_BOT, "true").await;
    let gone = SupportChange::SetSetting { name: Settings::FORCES_BOT.to_owned(), value: None };
    world.change(vec![gone.into()]).await;
    everywhere(world, async |world| {
        let own = Settings::default()
            .with(Settings::TAKEOVER, "true")
            .with(Settings::ROOM_AGENTS_MAX, "3");
        assert_eq!(world.store.settings(world.app).await.expect("read"), own);
        let theirs = Settings::default().with(Settings::USER_LIST, "off");
        assert_eq!(world.store.settings(other.app).await.expect("read"), theirs);
    })
    .await;
}

pub async fn only_apps_with_automatic_allocation_enabled_are_listed_for_it(world: &World) {
    let (second, third) = (world.another_app("second").await, world.another_app("third").await);
    let allocating = async |world: &World| {
        let mut found = world.store.apps_that_allocate().await.expect("read");
        found.sort();
        found
    };
    assert_eq!(allocating(world).await, []);
    for world in [world, &second, &third] {
        world.set(Settings::ALLOCATES, "true").await;
    }
    second.set(Settings::ALLOCATES, "false").await;
    world.set(Settings::TAKEOVER, "true").await;
    everywhere(world, async |world| {
        assert_eq!(allocating(world).await, [world.app, third.app]);
    })
    .await;
}

pub async fn only_apps_with_an_idle_time_are_listed_for_resolving_idle_conversations(
    world: &World,
) {
    let (second, third) = (world.another_app("second").await, world.another_app("third").await);
    third.set(Settings::TAKEOVER, "true").await;
    for world in [world, &second] {
        world.set(Settings::IDLE_RESOLVE_MINUTES, "30").await;
    }
    everywhere(world, async |world| {
        let mut found = world.store.apps_that_end_idle().await.expect("read");
        found.sort();
        assert_eq!(found, [world.app, second.app]);
    })
    .await;
}

fn names(tags: &[Tag]) -> Vec<&str> {
    tags.iter().map(|tag| tag.name.as_str()).collect()
}

pub async fn a_tag_exists_once_per_app_and_is_listed_on_its_rooms(world: &World) {
    let sms = world.connect("sms").await;
    let one = world.customer(&sms, "one").await.room;
    let two = world.customer(&sms, "two").await.room;
    for (room, name) in [(one, "vip"), (one, "late"), (two, "new"), (two, "vip"), (one, "vip")] {
        world.tag(room, name).await;
    }
    let other = world.another_app("other").await;
    let theirs = other.customer(&other.connect("sms").await, "one").await.room;
    other.tag(theirs, "vip").await;
    let of_room = async |world: &World, room| world.store.tags_of_room(room).await.expect("read");
    let world = &everywhere(world, async |world| {
        let all = world.store.tags(world.app).await.expect("read");
        let all: Vec<_> = all.into_iter().map(|it| it.tag).collect();
        assert_eq!(names(&all), ["late", "new", "vip"], "each tag once, ordered by name");
        assert_eq!(names(&of_room(world, one).await), ["vip", "late"], "oldest first");
        assert_eq!(names(&of_room(world, two).await), ["vip", "new"], "oldest first");
        assert_eq!(of_room(world, one).await[0], all[2], "rooms share one tag");
        let others = world.store.tags(other.app).await.expect("read");
        let others: Vec<_> = others.into_iter().map(|it| it.tag).collect();
        assert_eq!(names(&others), ["vip"]);
        assert_ne!(others[0].id, all[2].id);
        let named = async |name: &str| world.store.tag_named(world.app, name).await.expect("read");
        assert_eq!(named("vip").await.map(|it| it.tag), Some(all[2].clone()));
        assert!(named("VIP").await.is_none(), "tag names are case-sensitive");
        assert_eq!(of_room(world, theirs).await, others);
        assert_eq!(of_room(world, RoomId(1)).await, []);
    })
    .await;
    let vip = of_room(world, one).await.remove(0).id;
    world.change(vec![SupportChange::RemoveTag { room: one, tag: vip }.into()]).await;
    assert_eq!(names(&of_room(world, one).await), ["late"]);
    assert_eq!(names(&of_room(world, two).await), ["vip", "new"]);
    assert_eq!(
        world.store.tags(world.app).await.expect("read").len(),
        3,
        "the tag still exists in the app"
    );
}

pub async fn renaming_coloring_merging_or_deleting_a_tag_affects_all_its_rooms(world: &World) {
    let sms = world.connect("sms").await;
    let one = world.customer(&sms, "one").await.room;
    let two = world.customer(&sms, "two").await.room;
    for (room, name) in [(one, "vip"), (one, "late"), (two, "vip"), (two, "VIP!"), (one, "new")] {
        world.tag(room, name).await;
    }
    let other = world.another_app("other").await;
    let theirs = other.customer(&other.connect("sms").await, "one").await.room;
    other.tag(theirs, "vip").await;
    let id = async |name: &str| {
        let all = world.store.tags(world.app).await.expect("read");
        all.into_iter().find(|it| it.tag.name == name).expect("it exists").tag.id
    };
    let (vip, loud, late) = (id("vip").await, id("VIP!").await, id("late").await);
    assert_eq!(world.store.count_tagged(vip).await.expect("read"), 2);
    let colour = Some(Some("#00ff00".to_owned()));
    let name = Some("Very late".to_owned());
    let change = ChangeTag { tag: late, name, colour, merge_into: None };
    world.decide(change).await.expect("changed");
    let merge = ChangeTag { tag: vip, name: None, colour: None, merge_into: Some(loud) };
    assert_eq!(world.decide(merge).await.expect("merged").tag.name, "VIP!");
    world.decide(DeleteTag { tag: id("new").await }).await.expect("removed");
    let foreign = other.decide(DeleteTag { tag: loud }).await;
    assert!(foreign.is_err(), "it belongs to another app");
    everywhere(world, async |world| {
        let all = world.store.tags(world.app).await.expect("read");
        let shown: Vec<_> =
            all.iter().map(|it| (it.tag.name.as_str(), it.colour.as_deref())).collect();
        assert_eq!(shown, [("VIP!", None), ("Very late", Some("#00ff00"))]);
        let of_room = async |room| world.store.tags_of_room(room).await.expect("read");
        let mut of_one = of_room(one).await;
        of_one.sort_by(|a, b| a.name.cmp(&b.name));
        assert_eq!(names(&of_one), ["VIP!", "Very late"]);
        assert_eq!(names(&of_room(two).await), ["VIP!"], "a merged tag is listed once");
        assert_eq!(world.store.count_tagged(loud).await.expect("read"), 2);
        assert_eq!(names(&of_room(theirs).await), ["vip"]);
    })
    .await;
}

pub async fn customer_infos_are_stored_with_the_room(world: &World) {
    let sms = world.connect("sms").await;
    let one = world.admit(&sms, "one").await.room;
    let two = world.admit(&sms, "two").await.room;
    for (key, value) in [("size", "1"), ("age", "x"), ("size", "2"), ("zip", "")] {
        let info = Info { key: key.to_owned(), value: value.to_owned() };
        world.change(vec![SupportChange::PutInfo { room: one, info }.into()]).await;
    }
    for key in ["age", "unknown"] {
        let key = key.to_owned();
        world.change(vec![SupportChange::RemoveInfo { room: one, key }.into()]).await;
    }
    everywhere(world, async |world| {
        let of = async |room| {
            let found = world.store.infos(room).await.expect("read");
            found.into_iter().map(|it| format!("{}={}", it.key, it.value)).collect::<Vec<_>>()
        };
        assert_eq!(of(one).await, ["came=by themselves", "size=2", "zip="]);
        assert_eq!(of(two).await, ["came=by themselves"]);
        assert_eq!(of(RoomId(1)).await, Vec::<String>::new());
    })
    .await;
}

async fn put_button(world: &World, button: Option<EndpointId>, wanted: ButtonInput) -> Button {
    world.decide(PutButton { button, wanted }).await.expect("put")
}

pub async fn buttons_are_listed_in_the_order_of_creation_with_their_current_values(world: &World) {
    let wanted = |label: &str, is_active| ButtonInput {
        label: label.to_owned(),
        url: format!("https://{label}.example/"),
        is_active,
    };
    let first = put_button(world, None, wanted("first", true)).await;
    let gone = put_button(world, None, wanted("gone", true)).await;
    let off = put_button(world, None, wanted("off", false)).await;
    let moved = put_button(world, Some(first.id), wanted("moved", true)).await;
    assert_eq!(moved.id, first.id);
    world.decide(RemoveButton { button: gone.id }).await.expect("removed");
    let other = world.another_app("other").await;
    let theirs = put_button(&other, None, wanted("theirs", true)).await;
    everywhere(world, async |world| {
        let found = world.store.buttons(world.app).await.expect("read");
        assert_eq!(found, [moved.clone(), off.clone()]);
        let found = world.store.buttons(other.app).await.expect("read");
        assert_eq!(found, std::slice::from_ref(&theirs));
    })
    .await;
}
