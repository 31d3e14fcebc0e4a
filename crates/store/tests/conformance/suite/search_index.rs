//! What search goes by: words of messages and names, and how far the index is.

use confab_domain::ids::{ID_END, MessageId, UserKey};
use confab_domain::service::index_state::IndexState;
use confab_domain::service::indexing::IndexStep;
use confab_domain::time::Timestamp;

use crate::world::{World, everywhere};

/// Everything is taken up that there is, as by this process.
async fn index(world: &World, holder: &str, now: Timestamp) {
    let (store, end) = (&world.store, MessageId(ID_END));
    let before = store.index_state().await.expect("read");
    let messages = store.messages_between(before.reached, end, 1_000).await.expect("read");
    let contacts = store.users_after(before.contacts_up_to, 1_000).await.expect("read");
    let reached = messages.last().map_or(before.reached, |it| it.id);
    let contacts_up_to = contacts.last().map_or(before.contacts_up_to, |it| it.key);
    let held_until = Timestamp(now.0 + 10);
    let holder = holder.to_owned();
    let state =
        IndexState { up_to: reached, reached, contacts_up_to, holder, held_until, ..before };
    store.write_index(IndexStep { messages, contacts, state, now }).await.expect("written");
}

async fn messages(world: &World, words: &[&str]) -> Vec<MessageId> {
    let words: Vec<_> = words.iter().map(|it| (*it).to_owned()).collect();
    let found = world.store.find_messages(world.app, &words, MessageId(ID_END), 10).await;
    found.expect("read").into_iter().map(|it| it.id).collect()
}

async fn contacts(world: &World, word: &str) -> Vec<UserKey> {
    let words = [word.to_owned()];
    let found = world.store.find_contacts(world.app, &words, UserKey(ID_END), 10).await;
    found.expect("read")
}

pub async fn messages_and_customers_are_found_by_how_their_words_begin(world: &World) {
    let other = world.beside("other").await;
    let (sms, theirs) = (world.connect("sms").await, other.connect("sms").await);
    let room = world.greet(&sms, "siti-81").await;
    world.customer_says(&room, "siti-81", "Pesanan 1024 dikirim").await;
    let there = other.greet(&theirs, "siti-81").await;
    other.customer_says(&there, "siti-81", "Pesanan lain").await;
    assert!(messages(world, &["pesanan"]).await.is_empty(), "written behind");
    assert_eq!(contacts(world, "siti").await, [room.customer], "with the customer");
    index(world, "one", Timestamp(1)).await;
    index(world, "one", Timestamp(1)).await;
    everywhere(world, async |world| {
        assert_eq!(messages(world, &["pes"]).await.len(), 1, "its own app's");
        assert_eq!(messages(world, &["dikirim", "10"]).await, messages(world, &["pes"]).await);
        assert!(messages(world, &["lain"]).await.is_empty());
        assert!(messages(world, &["kirim"]).await.is_empty());
        assert_eq!(contacts(world, "81").await, [room.customer]);
        let state = world.store.index_state().await.expect("read");
        assert!(!world.store.is_more_said(state.reached).await.expect("read"));
        assert!(world.store.is_more_said(MessageId(0)).await.expect("read"));
    })
    .await;
}

pub async fn what_is_deleted_leaves_the_index_and_does_not_come_back(world: &World) {
    let sms = world.connect("sms").await;
    let room = world.greet(&sms, "ana").await;
    world.customer_says(&room, "ana", "first").await;
    world.customer_says(&room, "ana", "second").await;
    let chain = world.store.chain(room.room).await.expect("read");
    let said = |text: &str| chain.iter().find(|it| it.text == text).expect("said").clone();
    index(world, "one", Timestamp(1)).await;
    assert_eq!(messages(world, &["first"]).await, [said("first").id]);
    let before = world.store.index_state().await.expect("read");
    let again = world.store.messages_between(MessageId(0), before.reached, 1_000).await;
    let messages_read_before = again.expect("read");
    world.delete(&[&said("first")]).await;
    assert!(messages(world, &["first"]).await.is_empty());
    let step = IndexStep {
        messages: messages_read_before,
        contacts: Vec::new(),
        state: before,
        now: Timestamp(1),
    };
    world.store.write_index(step).await.expect("written");
    assert!(messages(world, &["first"]).await.is_empty(), "read before it was deleted");
    assert_eq!(messages(world, &["second"]).await, [said("second").id]);
}

pub async fn one_process_at_a_time_says_how_far_the_index_is(world: &World) {
    let sms = world.connect("sms").await;
    world.customer(&sms, "ana").await;
    index(world, "one", Timestamp(100)).await;
    let by = async || world.store.index_state().await.expect("read").holder;
    assert_eq!(by().await, "one");
    index(world, "two", Timestamp(105)).await;
    assert_eq!(by().await, "one", "it is held");
    index(world, "two", Timestamp(111)).await;
    assert_eq!(by().await, "two", "the hold lapsed");
}
