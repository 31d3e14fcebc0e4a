//! The search index: words of messages and names, and its progress.

use confab_domain::ids::{ID_END, MessageId, UserKey};
use confab_domain::limits;
use confab_domain::support::conversations::index_state::IndexState;
use confab_domain::support::conversations::indexing::IndexStep;
use confab_domain::time::Timestamp;

use crate::world::{World, everywhere};

/// Indexes everything that exists, as one process does.
async fn index(world: &World, holder: &str, now: Timestamp) {
    let (store, end) = (&world.store, MessageId(ID_END));
    let before = store.index_state().await.expect("read");
    let unindexed = store.unindexed(before.reached, end).await.expect("read");
    let contacts = store.users_after(before.contacts_up_to, 1_000).await.expect("read");
    let (messages, reached) = (unindexed.messages, unindexed.up_to.unwrap_or(before.reached));
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

pub async fn messages_and_customers_are_found_by_prefixes_of_their_words(world: &World) {
    let other = world.another_app("other").await;
    let (sms, theirs) = (world.connect("sms").await, other.connect("sms").await);
    let room = world.admit(&sms, "siti-81").await;
    world.customer_posts(&room, "siti-81", "Pesanan 1024 dikirim").await;
    let there = other.admit(&theirs, "siti-81").await;
    other.customer_posts(&there, "siti-81", "Pesanan lain").await;
    assert!(messages(world, &["pesanan"]).await.is_empty(), "messages are indexed later");
    assert_eq!(
        contacts(world, "siti").await,
        [room.customer],
        "customers are indexed when they are created"
    );
    index(world, "one", Timestamp(1)).await;
    index(world, "one", Timestamp(1)).await;
    everywhere(world, async |world| {
        assert_eq!(messages(world, &["pes"]).await.len(), 1, "only messages of the own app");
        assert_eq!(messages(world, &["dikirim", "10"]).await, messages(world, &["pes"]).await);
        assert!(messages(world, &["lain"]).await.is_empty());
        assert!(messages(world, &["kirim"]).await.is_empty());
        assert_eq!(contacts(world, "81").await, [room.customer]);
        let state = world.store.index_state().await.expect("read");
        assert!(!world.store.has_newer_messages(state.reached).await.expect("read"));
        assert!(world.store.has_newer_messages(MessageId(0)).await.expect("read"));
    })
    .await;
}

pub async fn a_deleted_message_leaves_the_index_and_is_not_indexed_again(world: &World) {
    let sms = world.connect("sms").await;
    let room = world.admit(&sms, "ana").await;
    world.customer_posts(&room, "ana", "first").await;
    world.customer_posts(&room, "ana", "second").await;
    let chain = world.store.chain(room.room).await.expect("read");
    let posted = |text: &str| chain.iter().find(|it| it.text == text).expect("posted").clone();
    index(world, "one", Timestamp(1)).await;
    assert_eq!(messages(world, &["first"]).await, [posted("first").id]);
    let before = world.store.index_state().await.expect("read");
    let again = world.store.unindexed(MessageId(0), before.reached).await.expect("read");
    world.delete(&[&posted("first")]).await;
    assert!(messages(world, &["first"]).await.is_empty());
    let step = IndexStep {
        messages: again.messages,
        contacts: Vec::new(),
        state: before,
        now: Timestamp(1),
    };
    world.store.write_index(step).await.expect("written");
    assert!(
        messages(world, &["first"]).await.is_empty(),
        "a message deleted after it was read is not indexed"
    );
    assert_eq!(messages(world, &["second"]).await, [posted("second").id]);
}

pub async fn messages_outside_customer_rooms_are_not_indexed(world: &World) {
    let end = MessageId(ID_END);
    let before = world.store.unindexed(MessageId(0), end).await.expect("read");
    assert_eq!((before.messages.len(), before.up_to, before.has_more), (0, None, false));
    world.register(&["ana"]).await;
    world.open_group("team", &["ana"]).await;
    let sms = world.connect("sms").await;
    let room = world.admit(&sms, "siti-81").await;
    world.customer_posts(&room, "siti-81", "Where is it?").await;
    let last = world.post("team", "ana", "Nobody finds this here").await;
    let found = world.store.unindexed(MessageId(0), end).await.expect("read");
    assert!(found.messages.iter().all(|it| it.room == room.room), "{found:?}");
    assert!(found.messages.iter().any(|it| it.text == "Where is it?"), "{found:?}");
    assert_eq!((found.up_to, found.has_more), (Some(last.id), false));
    let after = world.store.unindexed(last.id, end).await.expect("read");
    assert_eq!(after.up_to, None);
}

pub async fn an_index_step_ends_at_its_limits(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("team", &["ana"]).await;
    let posted = world.post_many("team", "ana", limits::INDEX_MESSAGES_SCANNED + 1).await;
    let (first, end) = (MessageId(posted[0].id.0 - 1), MessageId(ID_END));
    let found = world.store.unindexed(first, end).await.expect("read");
    let reached = posted[limits::INDEX_MESSAGES_SCANNED - 1].id;
    assert_eq!((found.messages.len(), found.up_to, found.has_more), (0, Some(reached), true));
    let rest = world.store.unindexed(reached, end).await.expect("read");
    assert_eq!((rest.up_to, rest.has_more), (posted.last().map(|it| it.id), false));
    let sms = world.connect("sms").await;
    let room = world.admit(&sms, "siti-81").await;
    for _ in 0..=limits::INDEX_STEP {
        world.customer_posts(&room, "siti-81", "Hello?").await;
    }
    let mut full =
        world.store.unindexed(posted[limits::INDEX_MESSAGES_SCANNED].id, end).await.expect("read");
    let last = full.messages.pop().map(|it| it.id);
    assert_eq!(
        (full.messages.len(), full.up_to, full.has_more),
        (limits::INDEX_STEP - 1, last, true)
    );
}

pub async fn one_process_at_a_time_advances_the_index(world: &World) {
    let sms = world.connect("sms").await;
    world.customer(&sms, "ana").await;
    index(world, "one", Timestamp(100)).await;
    let by = async || world.store.index_state().await.expect("read").holder;
    assert_eq!(by().await, "one");
    index(world, "two", Timestamp(105)).await;
    assert_eq!(by().await, "one", "the other process still holds the index");
    index(world, "two", Timestamp(111)).await;
    assert_eq!(by().await, "two", "the lease of the other process has expired");
}
