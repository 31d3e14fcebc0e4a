//! Posts: the chain of a room, and the visibility of answered posts.

use confab_domain::ids::MessageId;
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::Draft;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::payload::Payload;

use crate::world::{World, draft_by, room_ref, side_by_side};

pub async fn each_message_references_the_previous_one_and_numbers_have_no_gap(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    assert!(world.chain("support").await.is_empty());
    let mut posted = Vec::new();
    for text in ["one", "two", "three"] {
        posted.push(world.post("support", "ana", text).await);
    }
    assert_eq!(posted[0].before, None);
    assert_eq!(world.chain("support").await, posted);
    world.delete(&[&posted[1]]).await;
    let fourth = world.post("support", "ana", "four").await;
    assert_eq!((fourth.number, fourth.before), (4, Some(posted[2].id)));
}

pub async fn concurrent_posts_leave_an_unbroken_chain_in_every_room(world: &World) {
    const ROOMS: [&str; 3] = ["red", "green", "blue"];
    const TASKS: usize = 40;
    const POSTS: usize = 30;
    world.register(&["ana"]).await;
    for room in ROOMS {
        world.open_group(room, &["ana"]).await;
    }
    let tasks = (0..TASKS).map(|task| {
        let world = world.clone();
        async move {
            let mut last = [MessageId(0); ROOMS.len()];
            for post in 0..POSTS {
                let at = (task + post) % ROOMS.len();
                let message = world.post(ROOMS[at], "ana", &format!("{task} {post}")).await;
                assert!(message.id > last[at], "a later post has a greater id");
                last[at] = message.id;
            }
        }
    });
    side_by_side(tasks).await;
    let mut texts = std::collections::HashSet::new();
    for room in ROOMS {
        let chain = world.chain(room).await;
        assert_eq!(chain.len(), TASKS * POSTS / ROOMS.len());
        texts.extend(chain.into_iter().map(|message| message.text));
    }
    assert_eq!(texts.len(), TASKS * POSTS, "every post is stored once");
}

pub async fn a_message_is_readable_as_soon_as_its_post_is_answered(world: &World) {
    world.register(&["ana"]).await;
    world.open_channel("news", &["ana"]).await;
    let tasks = (0..20).map(|task| {
        let world = world.clone();
        async move {
            for post in 0..20 {
                let text = format!("{task} {post}");
                let message = world.post("news", "ana", &text).await;
                let page = world.page("news", 1, 20).await;
                // Other posts may have filled the page since.
                let is_pushed_off = page.len() == 20 && page[19].message.id > message.id;
                let is_there = page.iter().any(|said| said.message == message);
                assert!(is_there || is_pushed_off, "on the page: {text}");
                let id = message.id.0;
                assert_eq!(world.range("news", id, id, 1).await[0].message, message);
            }
        }
    });
    side_by_side(tasks).await;
}

/// User and message may be committed together, so a read may happen just before both.
pub async fn pages_can_be_read_while_new_users_register_and_post(world: &World) {
    world.open_channel("news", &[]).await;
    let (posting, is_posting) = tokio::sync::watch::channel(());
    let readers = (0..3).map(|_| {
        let (world, is_posting) = (world.clone(), is_posting.clone());
        async move {
            while is_posting.has_changed().is_ok() {
                for said in world.page("news", 1, 20).await {
                    assert_eq!(said.sender.user_id.as_str(), said.message.text);
                }
                tokio::task::yield_now().await;
            }
        }
    });
    let posts = async {
        for newcomer in 0..300 {
            let user = format!("user-{newcomer}");
            let (registered, posted) = tokio::join!(
                world.login(world.profile(&user, "new")),
                world.try_post("news", draft_by(&user, &user)),
            );
            registered.expect("registered");
            posted.expect("posted");
        }
        drop(posting);
    };
    tokio::join!(side_by_side(readers), posts);
}

pub async fn every_kind_of_message_is_read_back_as_posted(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    let first = world.post("support", "ana", "first").await;
    let mut posted = Vec::new();
    for payload in one_of_each_kind(first.id) {
        let extras = Some(JsonText::from_checked(r#"{"z":1.50,"a":[1e2,"\u0000"]}"#));
        let draft = Draft { payload, extras, ..draft_by("ana", "Grüße\n👋") };
        posted.push(world.try_post("support", draft).await.expect("posted"));
    }
    posted.push(world.post_system_event("support", r#"{"n":1.0}"#).await);
    let kinds: std::collections::HashSet<_> = posted.iter().map(|said| said.message.kind).collect();
    assert_eq!(kinds.len(), MessageKind::ALL.len());
    posted.reverse();
    assert_eq!(world.page("support", 1, posted.len()).await, posted);
    let world = world.reopened().await;
    assert_eq!(world.page("support", 1, posted.len()).await, posted);
}

fn one_of_each_kind(replied: MessageId) -> [Payload; 11] {
    let json = JsonText::from_checked(r#"{"b": 1.0, "a": "\"é"}"#);
    let (text, name) = (String::from("a text"), String::from("a name"));
    [
        Payload::Text,
        Payload::Buttons(json.clone()),
        Payload::Card { text: text.clone(), json: json.clone() },
        Payload::Carousel(json.clone()),
        Payload::FileAttachment { url: "https://example.com/a".to_owned(), json: json.clone() },
        Payload::Custom(json.clone()),
        Payload::AccountLinking { text: text.clone(), json: json.clone() },
        Payload::ButtonPostbackResponse { rating: None, json: json.clone() },
        Payload::ContactPerson { name: name.clone(), value: "+1".to_owned(), json: json.clone() },
        Payload::Location {
            name,
            address: text.clone(),
            map_url: "m".to_owned(),
            json: json.clone(),
        },
        Payload::Reply { text, to: replied, json },
    ]
}

pub async fn a_broadcast_opens_missing_single_rooms_and_posts_to_existing_ones(world: &World) {
    world.register(&["ana", "bob", "cid", "dan"]).await;
    let first = world.broadcast("ana", &["bob"], "to bob").await;
    let second = world.broadcast("ana", &["bob", "cid", "dan"], "to all").await;
    assert_eq!(second.len(), 3);
    assert_eq!(second[0].message.before, Some(first[0].message.id));
    assert_eq!((second[1].message.number, second[1].message.before), (1, None));
    for (said, target, count) in
        [(&second[0], "bob", 2), (&second[1], "cid", 1), (&second[2], "dan", 1)]
    {
        let room = said.message.room.to_string();
        assert_eq!(world.chain(&room).await.len(), count);
        assert_eq!(world.participants(&room).await, ["ana", target]);
        assert_eq!(world.unread(target, &room).await, Some(count as u64));
        assert_eq!(world.unread("ana", &room).await, Some(0));
        world.post(&room, target, "thanks").await;
        assert_eq!(world.texts(&room, 1, 2).await, ["thanks", "to all"]);
    }
}

pub async fn a_room_opened_and_posted_to_in_one_decision_survives_a_crash(world: &World) {
    world.register(&["ana", "bob"]).await;
    let room = world.broadcast("ana", &["bob"], "hello").await[0].message.room.to_string();
    let world = world.crashed().await;
    assert_eq!(world.texts(&room, 1, 20).await, ["hello"]);
    world.post(&room, "bob", "hello too").await;
    assert_eq!(world.chain(&room).await.len(), 2);
}

pub async fn a_room_is_found_by_its_numeric_id_and_by_its_unique_id(world: &World) {
    world.register(&["ana"]).await;
    let room = world.open_group("support", &["ana"]).await;
    let named_like_it = world.open_group("77", &["ana"]).await;
    world.post(&room.id.to_string(), "ana", "by id").await;
    world.post("support", "ana", "by unique id").await;
    world.post("77", "ana", "by digits that are no id").await;
    assert_eq!(world.texts("support", 1, 20).await, ["by unique id", "by id"]);
    assert_eq!(world.texts("77", 1, 20).await, ["by digits that are no id"]);
    let both = [room_ref("77"), room_ref("support"), room_ref(&room.id.to_string())];
    let found = world.store.rooms(world.app, &both).await.expect("read");
    assert_eq!(
        found,
        [(*named_like_it).clone(), (*room).clone()],
        "each room once, in the requested order"
    );
}

/// Ids are predictable here, so a room can have the id of a later room as its unique id.
pub async fn a_numeric_reference_prefers_a_room_id_over_a_unique_id(world: &World) {
    world.register(&["ana"]).await;
    let (one, two) = (world.open_group("1", &[]).await.id.0, world.open_group("2", &[]).await.id.0);
    let id_step = two - one;
    let digits = (two + 3 * id_step).to_string();
    world.open_group(&digits, &["ana"]).await;
    world.post(&digits, "ana", "by unique id").await;
    assert_eq!(world.texts(&digits, 1, 20).await, ["by unique id"]);
    let later = world.open_group("later", &["ana"]).await;
    assert_eq!(later.id.to_string(), digits);
    world.post(&digits, "ana", "by id").await;
    assert_eq!(world.texts(&digits, 1, 20).await, ["by id"]);
}
