//! Facts for notifying an app of every message of every room (design/webhooks).

use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::limits;
use confab_domain::webhooks::event_kind::EventKind::{Bot, ChatMessage};

use crate::world::{World, room_ref};

/// Returns the facts that a rule receives for these rooms: the last sequence number of each lane,
/// and the participants.
async fn found(world: &World, rooms: &[&str]) -> Vec<(u64, Vec<String>)> {
    let question = Question {
        rooms: rooms.iter().map(|room| room_ref(room)).collect(),
        wants_chat_messages: true,
        ..Question::default()
    };
    let rule = |facts: &Facts, _: &Stamp<'_>| {
        let of_room = facts.rooms.iter().map(|(_, it)| {
            let room = it.room.id;
            let last = facts.chat_message_facts.of_room(room).first().map_or(0, |(_, last)| *last);
            let people = facts.chat_message_facts.people.iter().filter(|(its, _)| *its == room);
            let mut names: Vec<_> =
                people.map(|(_, user)| user.user_id.as_str().to_owned()).collect();
            names.sort();
            (last, names)
        });
        Ok(Decision::nothing(of_room.collect()))
    };
    world.store.decide(world.app, question, rule).await.expect("decided")
}

pub async fn an_app_has_a_chat_message_webhook_only_while_its_endpoint_is_enabled(world: &World) {
    assert!(!world.app_itself().await.has_chat_message_webhook);
    world.put_endpoint(Bot, "https://bot.example/").await;
    assert!(!world.app_itself().await.has_chat_message_webhook, "the endpoint is of another kind");
    world.put_endpoint(ChatMessage, "https://all.example/").await;
    assert!(world.app_itself().await.has_chat_message_webhook);
    let world = world.reopened().await;
    assert!(world.app_itself().await.has_chat_message_webhook);
    world.put_endpoint_as(ChatMessage, "https://all.example/", |it| it.is_enabled = false).await;
    assert!(!world.app_itself().await.has_chat_message_webhook);
}

pub async fn a_rule_receives_the_last_sequence_number_and_participants_of_each_room(world: &World) {
    world.register(&["ana", "bob", "cleo"]).await;
    world.open_group("support", &["ana", "bob"]).await;
    world.open_group("other", &["cleo"]).await;
    let names = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    assert_eq!(found(world, &["support"]).await, [(0, names(&["ana", "bob"]))]);
    world.put_endpoint(ChatMessage, "https://all.example/").await;
    for _ in 0..2 {
        world.post_and_notify("support", "{}", &[ChatMessage]).await.expect("sent");
    }
    let expected = [(2, names(&["ana", "bob"])), (0, names(&["cleo"]))];
    assert_eq!(found(world, &["nowhere"]).await, []);
    for world in [&world.crashed().await, &world.reopened().await] {
        assert_eq!(found(world, &["support", "other"]).await, expected);
    }
}

pub async fn a_rule_receives_a_limited_number_of_participants_per_room(world: &World) {
    let names: Vec<String> =
        (0..limits::NOTICE_PARTICIPANTS_MAX + 5).map(|n| format!("u{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    world.register(&names).await;
    world.open_group("large", &names[..60]).await;
    world.open_group("small", &names[..1]).await;
    world.add("large", &names[60..]).await.expect("added");
    let found = found(world, &["large", "small"]).await;
    let counts: Vec<_> = found.iter().map(|(_, people)| people.len()).collect();
    assert_eq!(counts, [limits::NOTICE_PARTICIPANTS_MAX, 1]);
}
