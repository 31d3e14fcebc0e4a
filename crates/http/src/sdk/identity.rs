//! Sign-in of users, and their access tokens (wire facts 4.1).
//!
//! - `POST /auth/nonce`, `POST /auth/verify_identity_token`
//! - `POST /login_or_register`
//! - `POST /refresh_user_token`, `POST /expire_user_token`
//! - `POST /logout`

use axum::extract::State;
use axum::http::StatusCode;
use confab_app::credentials::identity_tokens;
use confab_app::services::Services;
use confab_app::{actions, clock, ids};
use confab_domain::app::App;
use confab_domain::limits;
use confab_domain::people::resetting_tokens::{LogOut, ResetToken};
use confab_domain::people::user::{User, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::initiating::UseNonce;
use confab_wire::body::Body;
use confab_wire::message_api::{Confirmed, Results, confirmed};
use confab_wire::omnichannel_api::channels as wire;
use confab_wire::omnichannel_api::channels::{
    VerifiedUser, VerifyIdentityFields, read_identity_token,
};
use confab_wire::sdk_api::people::{
    Login, LoginFields, NewToken, TokenFields, new_token, read_claims, read_token_owner,
};

use super::profile::account_with;
use crate::requests::bodies::RequestBody;
use crate::requests::callers::{ClientApp, ClientCaller, UserCaller};
use crate::requests::peer::ClientPeer;
use crate::requests::quotas;
use crate::responses::answer::{Answer, ok};
use crate::responses::problem::Problem;

#[utoipa::path(
    post,
    path = "/auth/nonce",
    operation_id = "auth_nonce",
    tag = "Clients",
    summary = "Get a nonce, valid once and for ten minutes",
    responses((status = 200, description = "Done", body = Results<wire::Nonce>)),
)]
pub(crate) async fn make_nonce(
    State(services): State<Services>,
    caller: ClientApp,
    ClientPeer(peer): ClientPeer,
) -> Answer {
    services.quotas().count_nonce(caller.app.id, peer)?;
    let (nonce, until) = actions::make_nonce(&services, &caller.app, limits::NONCE_TTL_S).await?;
    ok(wire::nonce(nonce, until))
}

#[utoipa::path(
    post,
    path = "/auth/verify_identity_token",
    operation_id = "verify_identity_token",
    tag = "Clients",
    summary = "Exchange an identity token for its user and their access token, once",
    request_body = VerifyIdentityFields,
    responses((status = 200, description = "Done", body = Results<VerifiedUser<'static>>)),
)]
pub(crate) async fn verify_token(
    State(services): State<Services>,
    caller: ClientApp,
    body: RequestBody,
) -> Answer {
    let shown = read_identity_token(&body.fields()?)?;
    let claims = identity_tokens::claims(&caller.app, &shown, clock::now()).ok_or_else(forged)?;
    let user = claims.user().ok_or_else(forged)?;
    services.decide(&caller.app, UseNonce { nonce: claims.nce }).await?;
    let edit = read_claims(claims.name, claims.avatar_url);
    let user = actions::become_user(&services, &caller.app, &user, edit).await?;
    account(&services, &caller.app, &user).await
}

#[utoipa::path(
    post,
    path = "/login_or_register",
    operation_id = "sdk_login_or_register",
    tag = "Clients",
    summary = "Log in with a password, or register a new user",
    request_body = LoginFields,
    responses((status = 200, description = "Done", body = Results<VerifiedUser<'static>>)),
)]
pub(crate) async fn login(
    State(services): State<Services>,
    caller: ClientApp,
    ClientPeer(peer): ClientPeer,
    body: RequestBody,
) -> Answer {
    let Login { user_id, password, profile } = Login::read(&body.fields()?)?;
    let own = UserRef::own(user_id.clone());
    quotas::count_newcomer(&services, caller.app.id, &own, peer).await?;
    let user = actions::log_in(&services, &caller.app, &user_id, password, profile, peer).await?;
    account(&services, &caller.app, &user).await
}

#[utoipa::path(
    post,
    path = "/refresh_user_token",
    operation_id = "sdk_refresh_user_token",
    tag = "Clients",
    summary = "Replace the caller's access token; the old one stops working",
    request_body = TokenFields,
    responses((status = 200, description = "Done", body = Results<NewToken>)),
)]
pub(crate) async fn refresh_token(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody,
) -> Answer {
    means_own_token(&caller, &body.fields()?)?;
    let user = caller.user.itself();
    let rule = ResetToken { user, token: ids::secret() };
    ok(new_token(services.decide(&caller.app, rule).await?))
}

#[utoipa::path(
    post,
    path = "/expire_user_token",
    operation_id = "sdk_expire_user_token",
    tag = "Clients",
    summary = "Invalidate the caller's access token, on all devices",
    request_body = TokenFields,
    responses((status = 200, description = "Done", body = Results<Confirmed>)),
)]
pub(crate) async fn expire_token(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody,
) -> Answer {
    means_own_token(&caller, &body.fields()?)?;
    let rule = LogOut { user: caller.user.itself(), token: ids::secret() };
    services.decide(&caller.app, rule).await?;
    ok(confirmed("The token is no longer valid."))
}

#[utoipa::path(
    post,
    path = "/logout",
    operation_id = "sdk_logout",
    tag = "Clients",
    summary = "Log out, on all devices",
    request_body = TokenFields,
    responses((status = 200, description = "Done", body = Results<Confirmed>)),
)]
pub(crate) async fn logout(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody,
) -> Answer {
    means_own_token(&caller, &body.fields()?)?;
    let rule = LogOut { user: caller.user.itself(), token: ids::secret() };
    services.decide(&caller.app, rule).await?;
    ok(confirmed("The token is no longer valid."))
}

fn forged() -> Problem {
    let message = "The identity_token is not for this app, or has expired. Create a new one.";
    Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
}

/// Answers with a user's account, including the access token.
pub(crate) async fn account(services: &Services, app: &App, user: &User) -> Answer {
    let store = services.store();
    let unknown = || Refusal::UsersNotFound(vec![user.user_id.as_str().to_owned()]);
    let token = store.token_of(user.key).await?.ok_or_else(unknown)?;
    account_with(services, app, user, &token).await
}

/// Fails if the body names a user other than the caller.
fn means_own_token(caller: &UserCaller, body: &Body<'_>) -> Result<(), Problem> {
    let named = read_token_owner(body)?;
    match named.is_none_or(|named| named == caller.user.user_id.as_str()) {
        true => Ok(()),
        false => Err(Problem::wrong_token()),
    }
}
