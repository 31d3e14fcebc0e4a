//! Enough messages to trigger delayed writes of places.

use std::collections::HashMap;

use confab_domain::limits;
use confab_domain::messages::message::Message;

use crate::model::Model;
use crate::world::reading::EVERY_ROOM;
use crate::world::{World, side_by_side};

const BIG_ROOMS: [&str; 3] = ["red", "green", "blue"];
/// Each task also has a room of its own: more rooms than an engine writes at once.
const TASKS: usize = 500;
const POSTS_IN_BIG_ROOMS: usize = 136;
const POSTS_IN_OWN_ROOM: usize = 2;

pub async fn rooms_with_many_messages_equal_the_model_before_and_after_a_restart(world: &World) {
    const { assert!(TASKS * POSTS_IN_BIG_ROOMS > limits::PLACES_UNWRITTEN_MAX) };
    world.register(&["ana", "bob"]).await;
    for room in BIG_ROOMS {
        world.open_group(room, &["ana", "bob"]).await;
    }
    let mut rooms = post_all(world).await;
    check_big_rooms(world, &rooms).await;
    check_small_rooms(world, &rooms).await;
    check_after_crash(world, &rooms).await;
    let world = world.reopened().await;
    check_big_rooms(&world, &rooms).await;
    check_small_rooms(&world, &rooms).await;
    for room in BIG_ROOMS {
        let more = world.post_many(room, "ana", 100).await;
        rooms.get_mut(room).expect("a big room").extend(more);
    }
    check_big_rooms(&world, &rooms).await;
}

/// Returns the messages of every room in order.
async fn post_all(world: &World) -> HashMap<String, Vec<Message>> {
    let tasks = (0..TASKS).map(|task| {
        let world = world.clone();
        async move {
            let own = format!("own-{task}");
            world.open_channel(&own, &[]).await;
            let mut posted = Vec::new();
            for post in 0..POSTS_IN_BIG_ROOMS + POSTS_IN_OWN_ROOM {
                let room = match post {
                    0 | POSTS_IN_BIG_ROOMS => own.as_str(),
                    _ => BIG_ROOMS[(task + post) % BIG_ROOMS.len()],
                };
                let sender = if post % 2 == 0 { "ana" } else { "bob" };
                let message = world.post(room, sender, &format!("{task} {post}")).await;
                posted.push((room.to_owned(), message));
            }
            posted
        }
    });
    let mut rooms: HashMap<String, Vec<Message>> = HashMap::new();
    for (room, message) in side_by_side(tasks).await.into_iter().flatten() {
        rooms.entry(room).or_default().push(message);
    }
    rooms.values_mut().for_each(|messages| messages.sort_by_key(|message| message.number));
    rooms
}

async fn check_after_crash(world: &World, rooms: &HashMap<String, Vec<Message>>) {
    let crashed = world.crashed().await;
    check_big_rooms(&crashed, rooms).await;
    check_small_rooms(&crashed, rooms).await;
    for user in ["ana", "bob"] {
        assert_eq!(crashed.unread_in_all(user).await, world.unread_in_all(user).await);
    }
}

async fn check_small_rooms(world: &World, rooms: &HashMap<String, Vec<Message>>) {
    for task in 0..TASKS {
        let room = format!("own-{task}");
        assert_eq!(world.chain(&room).await, rooms[&room]);
        assert_eq!(rooms[&room].len(), POSTS_IN_OWN_ROOM);
    }
}

async fn check_big_rooms(world: &World, rooms: &HashMap<String, Vec<Message>>) {
    for room in BIG_ROOMS {
        let messages = &rooms[room];
        let count = messages.len();
        assert_eq!(world.chain(room).await.len(), count);
        let model = Model::of(messages.clone());
        for page in [1, 2, 50, 100, count / 200, count / 100, count / 100 + 1, count / 100 + 2] {
            model.check_page(world, room, page as u64, 100).await;
        }
        for at in (0..count).step_by(count / 97) {
            let ids = (model.id_near(at, -1), model.id_near(at + 70, 1));
            model.check_range(world, room, ids, 100).await;
        }
        for user in ["ana", "bob"] {
            let key = world.user(user).await.key;
            let after_own = messages.iter().rev().take_while(|message| message.sender != key);
            let expected = after_own.count() as u64;
            assert_eq!(world.unread(user, room).await, Some(expected), "{user} in {room}");
        }
    }
}

/// So many rooms that a cache of rooms must evict some.
pub async fn a_room_is_correct_after_enough_rooms_were_opened_to_evict_it(world: &World) {
    world.register(&["ana", "bob"]).await;
    world.open_group("old", &["ana", "bob"]).await;
    world.open_group("older", &["ana", "bob"]).await;
    let mut model = Model::of(world.post_many("old", "ana", 100).await);
    world.post("older", "bob", "one").await;
    world.write_behind_next().await;
    let unwritten = world.post("older", "bob", "two").await;
    let openings = (0..100).map(|task| {
        let world = world.clone();
        async move {
            for room in 0..=limits::PLACES_ROOMS_MAX / 100 {
                world.open_channel(&format!("{task}-{room}"), &[]).await;
            }
        }
    });
    side_by_side(openings).await;
    model.check_pages(world, "old", 30).await;
    assert_eq!(world.unread("bob", "old").await, Some(100));
    assert_eq!(world.unread("ana", "old").await, Some(0));
    assert_eq!(world.chain("older").await[1], unwritten);
    assert_eq!(world.rooms_of("ana", EVERY_ROOM).await.0, ["older", "old"]);
    model.extend(world.post_many("old", "ana", 100).await);
    model.check_pages(world, "old", 30).await;
    model.check_chain(&world.crashed().await, "old").await;
    model.check_chain(&world.reopened().await, "old").await;
}
