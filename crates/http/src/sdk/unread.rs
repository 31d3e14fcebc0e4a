//! Counts of the caller's unread messages (wire facts 4.2).
//!
//! - `GET /total_unread_count`
//! - `GET /get_room_unread_count`

use axum::extract::State;
use confab_app::services::Services;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::people::TotalUnread;

use crate::requests::callers::ClientCaller;
use crate::responses::answer::{Answer, ok};

#[utoipa::path(
    get,
    path = "/total_unread_count",
    operation_id = "sdk_total_unread_count",
    tag = "Clients",
    summary = "Count the caller's unread messages",
    responses((status = 200, description = "Done", body = Results<TotalUnread>)),
)]
pub(crate) async fn count_messages(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
) -> Answer {
    let total_unread_count = services.store().unread_in_all(caller.user.key).await?;
    ok(TotalUnread { total_unread_count })
}

#[utoipa::path(
    get,
    path = "/get_room_unread_count",
    operation_id = "sdk_get_room_unread_count",
    tag = "Clients",
    summary = "Count the caller's rooms with unread messages",
    responses((status = 200, description = "Done", body = Results<TotalUnread>)),
)]
pub(crate) async fn count_rooms(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
) -> Answer {
    let total_unread_count = services.store().unread_rooms(caller.user.key).await?;
    ok(TotalUnread { total_unread_count })
}
