//! `POST /users/status` (wire facts 4.2)

use axum::extract::State;
use confab_domain::ids::AppId;
use confab_domain::people::UserId;
use confab_store::{SeenAt, StoreError};
use confab_wire::message_api::Results;
use confab_wire::sdk_api::people::{StatusFields, UserStatuses, read_status, user_status};

use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::UserCaller;
use crate::http::docs::Failures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/users/status",
    operation_id = "sdk_users_status",
    tag = "Clients",
    summary = "Whether users are there",
    request_body = StatusFields,
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<UserStatuses<'static>>),
        Failures
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let users = read_status(&body.fields()?)?;
    let found = presence_of(&services, caller.app.id, &users).await?;
    let shown = found.iter().map(|it| user_status(&it.user, it.is_online, it.at));
    ok(UserStatuses { user_status: shown.collect() })
}

/// Whether these users are there.
async fn presence_of(
    services: &Services,
    app: AppId,
    users: &[UserId],
) -> Result<Vec<SeenAt>, StoreError> {
    services.store().seen_at(app, users).await
}
