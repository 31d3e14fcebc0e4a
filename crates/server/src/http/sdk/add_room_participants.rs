//! `POST /add_room_participants` (wire facts 4.2)

use axum::extract::State;
use confab_domain::people::user::User;
use confab_domain::rooms::room_view::{Mark, Participant};
use confab_wire::message_api::Results;
use confab_wire::sdk_api::rooms::{
    PeopleAdded, RoomAndUsersFields, people_added, read_room_and_users,
};

use super::must_reach;
use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/add_room_participants",
    operation_id = "sdk_add_room_participants",
    tag = "Clients",
    summary = "Bring users into a room of the caller",
    request_body = RoomAndUsersFields,
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<PeopleAdded<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let (room, users) = read_room_and_users(&body.fields()?)?;
    must_reach(&services, &caller, &users).await?;
    let own = caller.user.itself();
    let users = users.into_iter().map(|user| caller.user.means(user)).collect();
    services.quotas().count_message(caller.app.id, Some(caller.user.key))?;
    let added = actions::add_as(&services, &caller.app, own, room, users).await?;
    let none = Mark::default();
    let people: Vec<_> = added
        .iter()
        .map(|user| Participant { user: User::clone(user), read: none, received: none })
        .collect();
    ok(people_added(&people))
}
