//! `POST /get_or_create_room_with_target` (wire facts 4.2)

use axum::extract::State;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::Pair;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::rooms::{OpenedRoom, TargetFields, read_target};

use super::{must_reach, opened_as};
use crate::actions;
use crate::http::answer::Answer;
use crate::http::bodies::RequestBody;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::http::quotas;
use crate::ids;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/get_or_create_room_with_target",
    operation_id = "sdk_get_or_create_room_with_target",
    tag = "Clients",
    summary = "Find or open the single room with another user",
    request_body = TargetFields,
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<OpenedRoom<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let (other, options) = read_target(&body.fields()?, &caller.user)?;
    must_reach(&services, &caller, std::slice::from_ref(&other)).await?;
    let pair = Pair::new(caller.user.itself(), other).map_err(Refusal::from)?;
    let (name, by) = (ids::pair_unique_id(&pair), Some(caller.user.key));
    quotas::count_room(&services, caller.app.id, by, &name).await?;
    let room = actions::open_pair(&services, &caller.app, pair, options).await?;
    opened_as(&services, &caller, &room, false).await
}
