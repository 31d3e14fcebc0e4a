//! Counts of the caller's unread messages (wire facts 4.2).

use axum::extract::State;
use confab_app::services::Services;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::people::TotalUnread;

use crate::calls::calls;
use crate::requests::callers::ClientCaller;
use crate::responses::answer::{Answer, ok};

calls! {
    "Clients";
    /// Count the caller's unread messages
    GET "/total_unread_count" sdk_total_unread_count = count_messages;
    /// Count the caller's rooms with unread messages
    GET "/get_room_unread_count" sdk_get_room_unread_count = count_rooms;
}

async fn count_messages(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
) -> Answer<Results<TotalUnread>> {
    let total_unread_count = services.store().unread_in_all(caller.user.key).await?;
    ok(TotalUnread { total_unread_count })
}

async fn count_rooms(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
) -> Answer<Results<TotalUnread>> {
    let total_unread_count = services.store().unread_rooms(caller.user.key).await?;
    ok(TotalUnread { total_unread_count })
}
