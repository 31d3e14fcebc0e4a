//! `POST /unblock_user` (wire facts 4.2, D-0045)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::people::{BlockFields, ClientUserBox, other_user, read_block};

use super::must_reach;
use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/unblock_user",
    operation_id = "sdk_unblock_user",
    tag = "Clients",
    summary = "Take messages of a user again",
    request_body = BlockFields,
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<ClientUserBox<'static>>),
        ClientFailures
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let other = read_block(&body.fields()?)?;
    let user = caller.user.key;
    // Who blocked somebody may take that back, whether they share a room by now or not.
    let known = services.store().meant_by(&caller.user, std::slice::from_ref(&other)).await?;
    let has_blocked = match known.first() {
        Some((key, _)) => services.store().has_blocked(user, *key).await?,
        None => false,
    };
    if !has_blocked {
        must_reach(&services, &caller, std::slice::from_ref(&other)).await?;
    }
    let other = actions::unblock_user(&services, &caller.app, user, other).await?;
    ok(other_user(&other))
}
