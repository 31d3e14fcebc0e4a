//! `POST /users/status` (wire facts 4.2)

use axum::extract::State;
use confab_domain::service::settings::Settings;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::people::{StatusFields, UserStatuses, read_status, user_status};

use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;
use crate::strangers;

#[utoipa::path(
    post,
    path = "/users/status",
    operation_id = "sdk_users_status",
    tag = "Clients",
    summary = "Whether users are there",
    description = "Agents and customers are left out for who shares no room with them, unless \
        `agent_and_customer_presence` is `all`.",
    request_body = StatusFields,
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<UserStatuses<'static>>),
        ClientFailures
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let users = read_status(&body.fields()?)?;
    let meant = services.store().meant_by(&caller.user, &users).await?;
    let setting = Settings::AGENT_AND_CUSTOMER_PRESENCE;
    let found = strangers::only_shown(&services, &caller.user, meant, setting).await?;
    let keys: Vec<_> = found.iter().map(|(key, _)| *key).collect();
    let seen = services.presences().of(&keys).await?;
    let status = found.iter().map(|(key, user)| {
        let seen = seen.iter().find(|(of, ..)| of == key);
        user_status(user, seen.is_some_and(|it| it.1), seen.map(|it| it.2))
    });
    ok(UserStatuses { user_status: status.collect() })
}
