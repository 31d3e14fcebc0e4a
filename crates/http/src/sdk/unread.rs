//! Counts of the caller's unread messages (wire facts 4.2).

use confab_store::Store;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::people::TotalUnread;

use crate::calls::calls;
use crate::requests::callers::ClientCaller;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, ok};

calls! {
    "Clients";
    /// Count the caller's unread messages
    GET "/total_unread_count" sdk_total_unread_count = count_messages;
    /// Count the caller's rooms with unread messages
    GET "/get_room_unread_count" sdk_get_room_unread_count = count_rooms;
}

async fn count_messages(
    Part(store): Part<Store>,
    ClientCaller(caller): ClientCaller,
) -> Answer<Results<TotalUnread>> {
    let total_unread_count = store.unread_in_all(caller.user.key).await?;
    ok(TotalUnread { total_unread_count })
}

async fn count_rooms(
    Part(store): Part<Store>,
    ClientCaller(caller): ClientCaller,
) -> Answer<Results<TotalUnread>> {
    let total_unread_count = store.unread_rooms(caller.user.key).await?;
    ok(TotalUnread { total_unread_count })
}
