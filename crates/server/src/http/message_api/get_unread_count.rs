//! `GET /get_unread_count` (wire facts 3.2)

use axum::extract::State;
use confab_domain::ids::RoomId;
use confab_wire::message_api::Results;
use confab_wire::message_api::rooms::{RoomUnread, UnreadCounts, UnreadFields, read_unread};

use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestQuery;
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::http::message_api::unknown_user;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/get_unread_count",
    operation_id = "get_unread_count",
    tag = "Rooms",
    summary = "Count what a user has not read in some rooms",
    params(UnreadFields),
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<UnreadCounts>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let (user, rooms) = read_unread(&query.fields()?)?;
    let found = services.store().unread(caller.app.id, &user, &rooms).await?;
    let counts = found.ok_or_else(|| unknown_user(&user))?;
    let shape = |(room, unread_count): (RoomId, u64)| RoomUnread {
        room_id: room.to_string(),
        unread_count,
    };
    ok(UnreadCounts { unread_counts: counts.into_iter().map(shape).collect() })
}
