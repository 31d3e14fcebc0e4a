//! Unique ids: each names one message of its app (D-0002).

use confab_domain::ids::RoomId;
use confab_domain::json_text::JsonText;
use confab_domain::messages::editing::EditMessage;
use confab_domain::messages::message::{Draft, Message};
use confab_domain::messages::payload::Payload;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::refusal::Refusal;

use crate::world::{World, draft_by, refusal, side_by_side};

fn unique_id(text: &str) -> UniqueId {
    UniqueId::parse("unique_temp_id", text).expect("a valid unique id")
}

/// Returns the refusal of a draft that differs in these parts from the message with its id.
fn taken(id: &UniqueId, differs: &[&'static str]) -> Refusal {
    Refusal::UniqueIdTaken { unique_id: id.to_string(), differs: differs.to_vec() }
}

async fn world_with_a_room(world: &World) {
    world.register(&["ana", "bob"]).await;
    world.open_group("support", &["ana", "bob"]).await;
}

pub async fn a_post_with_a_repeated_client_id_returns_the_first_message(world: &World) {
    world_with_a_room(world).await;
    world.open_group("other", &["bob"]).await;
    let once = unique_id("once/é 'quoted'");
    let first = world.post_once("support", "ana", "hello", &once).await.expect("posted");
    assert_eq!(first.message.unique_id(), once);
    let again = world
        .post_once("support", "ana", "hello", &once)
        .await
        .expect("the repeated post succeeds");
    assert_eq!(again, first);
    let another = world.post_once("support", "ana", "another", &once).await;
    assert_eq!(refusal(another), taken(&once, &["text"]));
    let elsewhere = world.post_once("other", "bob", "else", &once).await;
    assert_eq!(refusal(elsewhere), taken(&once, &["room", "sender"]));
    for world in [&world.crashed().await, &world.reopened().await] {
        let later = world
            .post_once("support", "ana", "hello", &once)
            .await
            .expect("the repeated post succeeds");
        assert_eq!(later, first);
        assert_eq!(world.chain("support").await.len(), 1);
        assert!(world.chain("other").await.is_empty());
    }
}

pub async fn a_repeated_post_of_the_original_text_returns_the_edited_message(world: &World) {
    world_with_a_room(world).await;
    let once = unique_id("once");
    let first = world.post_once("support", "ana", "hello", &once).await.expect("posted");
    let (room, message) = (first.message.room, once.clone());
    let edit = EditMessage { room, message, draft: draft_by("ana", "edited") };
    world.decide(edit).await.expect("edited");
    for world in [&world.crashed().await, &world.reopened().await] {
        let again = world
            .post_once("support", "ana", "hello", &once)
            .await
            .expect("the repeated post succeeds");
        assert_eq!((again.message.id, again.message.text.as_str()), (first.message.id, "edited"));
    }
}

pub async fn concurrent_posts_with_one_unique_id_store_one_message(world: &World) {
    world_with_a_room(world).await;
    for round in 0..5 {
        let id = unique_id(&format!("round {round}"));
        let writer = world.hold_writer().await;
        let posts = (0..40).map(|_| {
            let (world, id) = (world.clone(), id.clone());
            async move { world.post_once("support", "ana", "once", &id).await }
        });
        let (posted, ()) = tokio::join!(side_by_side(posts), writer.release());
        let posted: Vec<_> = posted.into_iter().map(|posted| posted.expect("posted")).collect();
        assert!(posted.iter().all(|one| *one == posted[0]), "all get the same message");
    }
    assert_eq!(world.chain("support").await.len(), 5);
}

pub async fn a_server_generated_unique_id_deletes_its_message(world: &World) {
    world_with_a_room(world).await;
    let messages = world.post_many("support", "ana", 5).await;
    let id = messages[2].unique_id();
    assert_eq!(id, UniqueId::of(messages[2].room, messages[2].id));
    let deleted = world.try_delete(vec![id.clone()]).await.expect("deleted");
    assert_eq!(deleted, [messages[2].clone()]);
    let left: Vec<_> =
        world.page("support", 1, 20).await.into_iter().map(|posted| posted.message).collect();
    let expected = [4, 3, 1, 0].map(|index: usize| messages[index].clone());
    assert_eq!(left, expected);
    let of_another_room = UniqueId::of(RoomId(messages[0].room.0 + 1), messages[0].id);
    for unknown in [id, of_another_room] {
        let refused = refusal(world.try_delete(vec![unknown.clone()]).await);
        assert_eq!(refused, Refusal::MessagesNotFound(vec![unknown.to_string()]));
    }
}

pub async fn deleting_several_messages_is_all_or_nothing(world: &World) {
    world_with_a_room(world).await;
    let (ours, theirs) = (unique_id("ours"), unique_id("unknown"));
    let given = world.post_once("support", "ana", "one", &ours).await.expect("posted").message;
    let made = world.post("support", "ana", "two").await;
    let ids = vec![ours.clone(), theirs, made.unique_id()];
    let refused = refusal(world.try_delete(ids).await);
    assert_eq!(refused, Refusal::MessagesNotFound(vec!["unknown".to_owned()]));
    assert_eq!(world.texts("support", 1, 20).await, ["two", "one"]);
    world.delete(&[&given, &made]).await;
    assert!(world.page("support", 1, 20).await.is_empty());
}

pub async fn the_unique_id_of_a_deleted_message_cannot_be_reused(world: &World) {
    world_with_a_room(world).await;
    let once = unique_id("once");
    let posted = world.post_once("support", "ana", "hello", &once).await.expect("posted");
    world.delete(&[&posted.message]).await;
    for world in [&world.crashed().await, &world.reopened().await] {
        let refused = refusal(world.post_once("support", "ana", "hello", &once).await);
        assert_eq!(refused, Refusal::MessageDeleted("once".to_owned()));
        let refused = refusal(world.try_delete(vec![once.clone()]).await);
        assert_eq!(refused, Refusal::MessagesNotFound(vec!["once".to_owned()]));
        assert_eq!(world.chain("support").await.len(), 1);
    }
}

pub async fn a_message_with_a_client_id_has_no_server_generated_id(world: &World) {
    world_with_a_room(world).await;
    let posted = world.post_once("support", "ana", "hello", &unique_id("once")).await;
    let message = posted.expect("posted").message;
    let server_made = UniqueId::of(message.room, message.id);
    let refused = refusal(world.try_delete(vec![server_made.clone()]).await);
    assert_eq!(refused, Refusal::MessagesNotFound(vec![server_made.to_string()]));
    assert_eq!(world.texts("support", 1, 20).await, ["hello"]);
}

pub async fn message_ids_of_another_app_are_unknown(world: &World) {
    world_with_a_room(world).await;
    let other = world.another_app("other").await;
    world_with_a_room(&other).await;
    let given = world.post_once("support", "ana", "one", &unique_id("given")).await;
    let (given, made) = (given.expect("posted").message, world.post("support", "ana", "two").await);
    for id in [given.unique_id(), made.unique_id()] {
        let refused = refusal(other.try_delete(vec![id.clone()]).await);
        assert_eq!(refused, Refusal::MessagesNotFound(vec![id.to_string()]));
    }
    assert_eq!(world.texts("support", 1, 20).await, ["two", "one"]);
    let refused = refusal(other.try_post("support", reply_to(&made)).await);
    assert_eq!(refused, Refusal::RepliedMessageNotInRoom(made.id.0));
    world.try_post("support", reply_to(&made)).await.expect("the app itself may reply");
}

fn reply_to(message: &Message) -> Draft {
    let (text, json) = ("yes".to_owned(), JsonText::empty_object());
    Draft { payload: Payload::Reply { text, to: message.id, json }, ..draft_by("bob", "") }
}

pub async fn one_unique_id_in_two_apps_names_two_messages(world: &World) {
    world_with_a_room(world).await;
    let other = world.another_app("other").await;
    world_with_a_room(&other).await;
    let once = unique_id("once");
    for (world, text) in [(world, "ours"), (&other, "theirs")] {
        let posted = world.post_once("support", "ana", text, &once).await.expect("posted");
        assert_eq!(posted.message.text, text);
        let again = world
            .post_once("support", "ana", text, &once)
            .await
            .expect("the repeated post succeeds");
        assert_eq!(again, posted);
    }
    other.try_delete(vec![once.clone()]).await.expect("deleted");
    assert!(other.page("support", 1, 20).await.is_empty());
    assert_eq!(world.texts("support", 1, 20).await, ["ours"]);
}

/// An app may use any text as its own id, even one that the server made for another app.
pub async fn a_client_may_use_an_id_that_the_server_generated_for_another_app(world: &World) {
    world_with_a_room(world).await;
    let other = world.another_app("other").await;
    world_with_a_room(&other).await;
    let borrowed = world.post("support", "ana", "ours").await.unique_id();
    let first = other.post_once("support", "ana", "theirs", &borrowed).await.expect("posted");
    assert_eq!(first.message.text, "theirs");
    let again = other
        .post_once("support", "ana", "theirs", &borrowed)
        .await
        .expect("the repeated post succeeds");
    assert_eq!(again, first);
    other.try_delete(vec![borrowed]).await.expect("deleted");
    assert!(other.page("support", 1, 20).await.is_empty());
    assert_eq!(world.texts("support", 1, 20).await, ["ours"]);
}
