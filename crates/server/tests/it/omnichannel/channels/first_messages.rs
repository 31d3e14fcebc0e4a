//! Concurrent first messages.

use std::collections::HashSet;

use serde_json::json;

use crate::support::answer::text;
use crate::support::hooks::Hooks;
use crate::support::shop::Shop;

#[tokio::test]
async fn fifty_concurrent_first_messages_open_one_room_with_one_session() {
    let shop = Shop::open().await;
    let writing = (0..50).map(|number| {
        let body = json!({"user_id": "ana", "message": format!("hello {number}")});
        async { text(&shop.send(body).await.data()["room_log"]["room_id"]).to_owned() }
    });
    let rooms: HashSet<_> = joined(writing).await.into_iter().collect();
    assert_eq!(rooms.len(), 1, "{rooms:?}");
    let room = rooms.into_iter().next().expect("one");
    assert_eq!(shop.server.texts(&room).await.len(), 50);
    let (sessions, _) = Hooks::of(&shop.server).list(&[("kind", "new_session")]).await;
    assert_eq!(sessions.len(), 1, "only the message that opened the session sends the webhook");
}

#[tokio::test]
async fn concurrent_first_messages_of_different_customers_open_separate_rooms() {
    let shop = Shop::without_webhooks().await;
    let users: Vec<_> = (0..20).map(|number| format!("user-{number}")).collect();
    let writing = users.iter().map(|user| shop.room_of(user));
    let rooms = joined(writing).await;
    let distinct: HashSet<_> = rooms.iter().collect();
    assert_eq!(distinct.len(), 20);
    for (user, room) in users.iter().zip(&rooms) {
        assert_eq!(shop.server.participants(room).await, [user.as_str()]);
    }
}

/// Runs all futures concurrently.
async fn joined<T>(futures: impl IntoIterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut running: Vec<_> = futures.into_iter().map(|it| (Box::pin(it), None)).collect();
    std::future::poll_fn(|context| {
        let mut is_done = true;
        for (future, outcome) in running.iter_mut().filter(|(_, outcome)| outcome.is_none()) {
            match future.as_mut().poll(context) {
                std::task::Poll::Ready(value) => *outcome = Some(value),
                std::task::Poll::Pending => is_done = false,
            }
        }
        if is_done { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    running.into_iter().map(|(_, outcome)| outcome.expect("done")).collect()
}
