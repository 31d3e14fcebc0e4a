//! Pages: newest first, full, equal to a filtered list (design/message-api).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use confab_domain::json_text::JsonText;
use confab_domain::messages::message::{Draft, Message, PostedMessage};
use confab_domain::messages::payload::Payload;
use confab_domain::rooms::room::RoomRef;
use confab_store::PageEntry;

use crate::model::Model;
use crate::world::{World, draft_by, room_ref, side_by_side};

pub async fn pages_list_the_newest_message_first(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    for text in ["one", "two", "three"] {
        world.post("support", "ana", text).await;
    }
    assert_eq!(world.texts("support", 1, 20).await, ["three", "two", "one"]);
    assert_eq!(world.texts("support", 1, 2).await, ["three", "two"]);
    assert_eq!(world.texts("support", 2, 2).await, ["one"]);
}

pub async fn a_page_past_the_end_is_empty(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    assert!(world.page("support", 1, 20).await.is_empty(), "an empty room");
    let message = world.post("support", "ana", "one").await;
    assert!(world.page("support", 2, 1).await.is_empty());
    assert!(world.page("support", 9_000_000_000_000, 100).await.is_empty());
    for skipped in [u64::MAX, i64::MAX as u64, i64::MAX as u64 + 1] {
        let room = RoomRef::Id(message.room);
        let page = world.store.page(world.app, &room, skipped, 20).await;
        assert_eq!(page.expect("read"), Some(vec![]));
    }
    world.delete(&[&message]).await;
    assert!(world.page("support", 1, 20).await.is_empty(), "a room whose messages are all deleted");
    let no_room = world.store.page(world.app, &room_ref("nowhere"), 0, 20).await;
    assert_eq!(no_room.expect("read"), None);
}

pub async fn pages_skip_deleted_messages_and_stay_full(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    let messages = world.post_many("support", "ana", 30).await;
    for message in [&messages[29], &messages[28], &messages[20], &messages[3]] {
        world.delete(&[message]).await;
    }
    let page_sizes =
        [world.page("support", 1, 10).await.len(), world.page("support", 2, 10).await.len()];
    assert_eq!(page_sizes, [10, 10]);
    assert_eq!(world.page("support", 3, 10).await.len(), 6, "30 less 4 are 26");
}

pub async fn reads_of_a_whole_room_include_deleted_messages_without_their_content(world: &World) {
    world.register(&["ana"]).await;
    let room = world.open_group("support", &["ana"]).await.id;
    let messages = world.post_many("support", "ana", 150).await;
    world.delete(&[&messages[10], &messages[149]]).await;
    let ids: Vec<_> = messages.iter().map(|it| it.id).collect();
    let shown = |found: Vec<PageEntry>| found.iter().map(|it| it.key().id).collect::<Vec<_>>();
    let after = world.store.all_after(room, ids[8], 3).await.expect("read");
    assert_eq!(shown(after), ids[9..12]);
    let up_to = shown(world.store.all_up_to(room, ids[149], 2).await.expect("read"));
    assert_eq!(up_to, [ids[149], ids[148]]);
    let gone = world.store.all_up_to(room, ids[10], 1).await.expect("read");
    let gone = world.store.loaded(gone).await.expect("read");
    assert_eq!((gone[0].message.is_deleted, gone[0].message.text.as_str()), (true, ""));
    assert_eq!(shown(world.store.all_after(room, ids[149], 3).await.expect("read")), []);
}

pub async fn a_page_defers_large_messages_which_are_loaded_in_several_reads(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    let mut posted = Vec::new();
    for number in 0..12 {
        let bytes = if number % 4 == 0 { 1 } else { 100_000 };
        let json = JsonText::from_checked(format!(r#"{{"x":"{}"}}"#, "y".repeat(bytes)));
        let draft = Draft { payload: Payload::Custom(json), ..draft_by("ana", "") };
        posted.push(world.try_post("support", draft).await.expect("posted").message);
    }
    posted.reverse();
    let page = async || {
        let page = world.store.page(world.app, &room_ref("support"), 0, 20).await;
        page.expect("read").expect("the room exists")
    };
    let found = page().await;
    let keys: Vec<_> = found.iter().map(PageEntry::key).collect();
    assert!(
        keys.iter().map(|key| key.id).eq(posted.iter().map(|it| it.id)),
        "every message has an entry"
    );
    assert!(keys.iter().map(|key| key.number).eq((1..=12).rev()));
    let is_deferred = |it: &&PageEntry| matches!(it, PageEntry::Deferred(_));
    assert!(found.iter().filter(is_deferred).count() >= 5, "a page of 900 kB is loaded in part");
    assert_eq!(page().await, found, "a large page is read again unchanged");
    let (mut left, mut steps) = (keys.clone(), 0);
    while !left.is_empty() {
        let some = world.store.messages(&left).await.expect("read");
        assert!(some.iter().map(|it| it.message.id).eq(left.drain(..some.len()).map(|it| it.id)));
        steps += 1;
    }
    assert!((3..=5).contains(&steps), "{steps} steps");
    let whole = world.page("support", 1, 20).await;
    assert!(whole.iter().map(|said| &said.message).eq(&posted));

    world.delete(&[&posted[0]]).await;
    let gone = world.store.messages(&keys[..1]).await.expect("read");
    assert_eq!((gone[0].message.is_deleted, &gone[0].message.payload), (true, &None));
    assert_eq!(gone.len(), 1, "deleted messages of a page are still returned");
}

pub async fn pages_below_long_runs_of_deleted_messages_are_correct(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    let mut left = world.post_many("support", "ana", 2700).await;
    // Two runs of deletions, with less than a page left in between.
    for run in [2100..2400, 1890..2091] {
        let deleted: Vec<_> = left.drain(run).collect();
        for three in deleted.chunks(3) {
            world.delete(&three.iter().collect::<Vec<_>>()).await;
        }
    }
    left.reverse();
    for page in [1, 15, 16, 17, 100, 109, 110, 111] {
        let expected = left.chunks(20).nth(page as usize - 1).unwrap_or_default();
        let found = world.page("support", page, 20).await;
        assert!(found.iter().map(|said| &said.message).eq(expected), "page {page}");
    }
}

pub async fn a_deleted_message_keeps_its_position_but_no_content(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    let json = JsonText::from_checked(r#"{"secret":1}"#);
    let extras = Some(json.clone());
    let draft = Draft { payload: Payload::Custom(json), extras, ..draft_by("ana", "") };
    let custom = world.try_post("support", draft).await.expect("posted").message;
    let text = world.post("support", "ana", "secret").await;
    world.delete(&[&custom, &text]).await;
    for world in [&world.crashed().await, &world.reopened().await] {
        for (left, before) in world.chain("support").await.into_iter().zip([&custom, &text]) {
            let (text, payload, extras) = (String::new(), None, None);
            let is_deleted = true;
            assert_eq!(left, Message { text, payload, extras, is_deleted, ..before.clone() });
        }
    }
}

/// 200 messages: three full rows of 64 places and a part of one, with deletions at every edge.
pub async fn every_page_equals_the_model_in_memory_on_disk_and_after_a_crash(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    let mut model = Model::of(world.post_many("support", "ana", 200).await);
    let edges = [0, 1, 63, 64, 65, 100, 101, 102, 103, 127, 128, 191, 192, 198, 199];
    for index in edges {
        world.delete(&[model.live(index).expect("not deleted yet")]).await;
        model.delete(index);
    }
    let crashed = world.crashed().await;
    check_every_page(&model, world).await;
    check_every_page(&model, &crashed).await;
    check_every_page(&model, &crashed.reopened().await).await;
    let world = world.reopened().await;
    check_every_page(&model, &world).await;
    // Rows on disk and new messages in memory.
    model.extend(world.post_many("support", "ana", 100).await);
    world.delete(&[model.live(250).expect("new")]).await;
    model.delete(250);
    check_every_page(&model, &world).await;
    check_every_page(&model, &world.reopened().await).await;
}

async fn check_every_page(model: &Model, world: &World) {
    for limit in [1, 2, 7, 20, 63, 64, 65, 100, 185, 300] {
        model.check_pages(world, "support", limit).await;
    }
    model.check_chain(world, "support").await;
}

pub async fn rooms_grow_correctly_after_their_message_positions_were_written(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("other", &["ana"]).await;
    for count in [1, 63, 64, 65, 127, 128, 129] {
        let room = format!("room-{count}");
        world.open_group(&room, &["ana"]).await;
        let mut model = Model::of(world.post_many(&room, "ana", count).await);
        world.write_behind_next().await;
        world.post("other", "ana", "hello").await;
        model.check_pages(world, &room, 30).await;
        model.extend(world.post_many(&room, "ana", 1).await);
        model.extend(world.post_many(&room, "ana", 70).await);
        model.check_pages(world, &room, 30).await;
        model.check_chain(world, &room).await;
        model.check_chain(&world.crashed().await, &room).await;
    }
}

pub async fn pages_stay_full_while_their_messages_are_deleted(world: &World) {
    world.register(&["ana"]).await;
    world.open_channel("news", &["ana"]).await;
    let messages = world.post_many("news", "ana", 200).await;
    let is_done = Arc::new(AtomicBool::new(false));
    let readers = (0..4).map(|_| {
        let (world, is_done) = (world.clone(), is_done.clone());
        async move {
            while !is_done.load(Ordering::Relaxed) {
                let page = world.page("news", 1, 20).await;
                assert!(page.is_sorted_by(|newer, older| newer.message.id > older.message.id));
                assert!(page.iter().all(|said| !said.message.is_deleted));
                assert_eq!(page.len(), 20);
                tokio::task::yield_now().await;
            }
        }
    });
    let deletions = async {
        for message in messages[100..].iter().rev() {
            world.delete(&[message]).await;
        }
        is_done.store(true, Ordering::Relaxed);
    };
    tokio::join!(side_by_side(readers), deletions);
    Model::of(world.chain("news").await).check_pages(world, "news", 20).await;
}

pub async fn pages_and_ranges_have_no_gap_while_message_positions_are_written(world: &World) {
    world.register(&["ana"]).await;
    world.open_channel("news", &["ana"]).await;
    let ids_of = |posted: Vec<Message>| posted.into_iter().map(|message| message.id.0);
    let ids = Vec::from_iter(ids_of(world.post_many("news", "ana", 150).await));
    let (answered, reading) = tokio::sync::watch::channel(ids);
    let readers = (0..3).map(|reader| {
        let (world, reading) = (world.clone(), reading.clone());
        async move {
            // Until the posts are done.
            while reading.has_changed().is_ok() {
                let newest = Vec::from_iter(reading.borrow().iter().rev().take(100).copied());
                check_no_gap(&world.range("news", newest[99], newest[0], 100).await, 100);
                check_no_gap(&world.page("news", 1 + reader, 30).await, 30);
                tokio::task::yield_now().await;
            }
        }
    });
    let posts = async {
        for _ in 0..100 {
            let posted = world.post_many("news", "ana", 70).await;
            answered.send_modify(|ids| ids.extend(ids_of(posted)));
            world.write_behind_next().await;
        }
        drop(answered);
    };
    tokio::join!(side_by_side(readers), posts);
    assert_eq!(world.chain("news").await.len(), 7150);
}

#[track_caller]
fn check_no_gap(messages: &[PostedMessage], count: usize) {
    let numbers: Vec<_> = messages.iter().map(|said| said.message.number).collect();
    assert_eq!(numbers.len(), count);
    assert!(numbers.is_sorted_by(|newer, older| *newer == older + 1), "{numbers:?}");
}
