//! Users (wire facts 3.9).
//!
//! - `POST /login_or_register`, `GET /user_profile`
//! - `POST /reset_user_token`

use axum::extract::State;
use confab_app::services::Services;
use confab_app::{actions, ids};
use confab_domain::app::App;
use confab_domain::people::resetting_tokens::ResetToken;
use confab_domain::people::user::Realm;
use confab_domain::refusal::Refusal;
use confab_wire::message_api::Results;
use confab_wire::message_api::v2::{
    LoginFields, ProfileFields, UserFields, read_login, read_profile, read_user,
};
use confab_wire::omnichannel_api::channels::VerifiedUser;

use crate::message_api::{addressed, unknown_user};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::RestV2Caller;
use crate::responses::answer::Answer;
use crate::sdk::identity::account;
use crate::sdk::profile::account_with;

#[utoipa::path(
    post,
    path = "/login_or_register",
    operation_id = "rest_v2_login_or_register",
    tag = "Message API v2",
    summary = "Register a user or change its profile",
    request_body = LoginFields,
    responses((status = 200, description = "Done", body = Results<VerifiedUser<'static>>)),
)]
pub(crate) async fn register(
    State(services): State<Services>,
    caller: RestV2Caller,
    body: OmnichannelBody,
) -> Answer {
    let wanted = read_login(body.fields())?;
    let user = actions::register_user(&services, &caller.app, wanted).await?;
    account(&services, &caller.app, &user).await
}

#[utoipa::path(
    get,
    path = "/user_profile",
    operation_id = "rest_v2_user_profile",
    tag = "Message API v2",
    summary = "Get a user's profile and access token",
    params(ProfileFields),
    responses((status = 200, description = "Done", body = Results<VerifiedUser<'static>>)),
)]
pub(crate) async fn load(
    State(services): State<Services>,
    caller: RestV2Caller,
    query: RequestQuery,
) -> Answer {
    let user = read_profile(&query.fields()?)?;
    // No client connects as System.
    if *user.user_id() == App::system_user_id(&caller.app.code) {
        return Err(Refusal::SystemUser(user.address()).into());
    }
    let user = addressed(&services, caller.app.id, &user).await?;
    match user.realm {
        Realm::App => account(&services, &caller.app, &user).await,
        // The token of a customer belongs to the customer alone (D-0203).
        Realm::Channel(_) => account_with(&services, &caller.app, &user, "").await,
    }
}

#[utoipa::path(
    post,
    path = "/reset_user_token",
    operation_id = "rest_v2_reset_user_token",
    tag = "Message API v2",
    summary = "Replace a user's access token; the old one stops working",
    request_body = UserFields,
    responses((status = 200, description = "Done", body = Results<VerifiedUser<'static>>)),
)]
pub(crate) async fn reset_token(
    State(services): State<Services>,
    caller: RestV2Caller,
    body: OmnichannelBody,
) -> Answer {
    let user_id = read_user(body.fields())?;
    let rule = ResetToken { user: user_id.clone().into(), token: ids::secret() };
    let token = services.decide(&caller.app, rule).await?;
    let found = services.store().user(caller.app.id, &user_id).await?;
    let user = found.ok_or_else(|| unknown_user(&user_id))?;
    account_with(&services, &caller.app, &user, &token).await
}
