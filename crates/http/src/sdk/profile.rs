//! The caller's profile (wire facts 4.1).
//!
//! - `GET /my_profile`, `PATCH /my_profile`

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::people::registering::EditProfile;
use confab_domain::people::user::User;
use confab_wire::message_api::Results;
use confab_wire::omnichannel_api::channels::{VerifiedUser, verified_user};
use confab_wire::sdk_api::people::{ProfileFields, read_profile};

use crate::requests::bodies::RequestBody;
use crate::requests::callers::ClientCaller;
use crate::responses::answer::{Answer, ok};

#[utoipa::path(
    get,
    path = "/my_profile",
    operation_id = "sdk_my_profile",
    tag = "Clients",
    summary = "Get the caller's profile",
    responses((status = 200, description = "Done", body = Results<VerifiedUser<'static>>)),
)]
pub(crate) async fn load(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
) -> Answer {
    account_with(&services, &caller.app, &caller.user, &caller.token).await
}

#[utoipa::path(
    patch,
    path = "/my_profile",
    operation_id = "sdk_update_my_profile",
    tag = "Clients",
    summary = "Change the name, picture or extras of the caller",
    request_body = ProfileFields,
    responses((status = 200, description = "Done", body = Results<VerifiedUser<'static>>)),
)]
pub(crate) async fn change(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody,
) -> Answer {
    let edit = read_profile(&body.fields()?)?;
    let user = caller.user.itself();
    let user = services.decide(&caller.app, EditProfile { user, edit }).await?;
    account_with(&services, &caller.app, &user, &caller.token).await
}

/// Answers with a user's account and the given access token.
pub(crate) async fn account_with(
    services: &Services,
    app: &App,
    user: &User,
    token: &str,
) -> Answer {
    let newest = services.store().newest_of_user(user.key).await?;
    let pushes_to_ios = services.config().apns.is_some();
    ok(verified_user(app, user, token, newest, pushes_to_ios))
}
