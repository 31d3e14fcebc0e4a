//! Signing in to the dashboard, and one's own account (wire facts 5.1, 5.4; D-0033).
//!
//! - `POST /api/v1/auth`, `POST /{app_code}/api/v1/auth`
//! - `POST /api/v1/auth/logout`, `POST /api/v1/auth/change_password`
//! - `GET /api/v1/admin/get_profile`

use crate::ids;
use axum::extract::{Path, State};
use confab_domain::agents::role::Role;
use confab_domain::agents::signing_in::SignOutAgent;
use confab_wire::omnichannel_api::people::signing_in::{
    ChangePassword, ChangePasswordFields, Done, SignInFields, SignInRequest, SignedInShape,
    SignedInUserShape, signed_in, user,
};
use confab_wire::webhook_api::Data;

use super::settings::AppSettings;
use crate::actions::{self, SignedIn};
use crate::http::answer::{Answer, data};
use crate::http::bodies::{OmniBody, WebhookDepth};
use crate::http::callers::AgentCaller;
use crate::peer::Peer;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v1/auth",
    operation_id = "sign_in",
    tag = "People",
    summary = "Sign in: a token for the header Authorization, good for 30 days",
    request_body = SignInFields,
    responses((status = 200, description = "Done", body = Data<SignedInShape<'static>>)),
)]
pub(crate) async fn sign_in(
    State(services): State<Services>,
    peer: Peer,
    body: OmniBody,
) -> Answer {
    answer(&services, &body, None, peer).await
}

#[utoipa::path(
    post,
    path = "/{app_code}/api/v1/auth",
    operation_id = "sign_in_to_app",
    tag = "People",
    summary = "Sign in to this app only",
    params(("app_code" = String, Path, description = "The app", example = "shop")),
    request_body = SignInFields,
    responses((status = 200, description = "Done", body = Data<SignedInShape<'static>>)),
)]
pub(crate) async fn sign_in_to_app(
    State(services): State<Services>,
    Path(code): Path<String>,
    peer: Peer,
    body: OmniBody,
) -> Answer {
    answer(&services, &body, Some(&code), peer).await
}

#[utoipa::path(
    post,
    path = "/api/v1/auth/logout",
    operation_id = "sign_out",
    tag = "People",
    summary = "Sign out: the token ends, and the logout webhook is sent",
    responses((status = 200, description = "Done", body = Data<Done>)),
)]
pub(crate) async fn sign_out(
    State(services): State<Services>,
    caller: AgentCaller,
    depth: WebhookDepth,
) -> Answer {
    let (user, token_hash) = (caller.agent.profile.user.id, caller.token_hash);
    let rule = SignOutAgent { user, token_hash, new_sdk_key: ids::secret() };
    services.decide_after(depth.0, &caller.app, rule).await?;
    data(Done { message: "You are signed out." })
}

#[utoipa::path(
    post,
    path = "/api/v1/auth/change_password",
    operation_id = "change_password",
    tag = "People",
    summary = "Change your own password; all your sign-ins end",
    request_body = ChangePasswordFields,
    responses((status = 200, description = "Done", body = Data<Done>)),
)]
pub(crate) async fn change_password(
    State(services): State<Services>,
    caller: AgentCaller,
    peer: Peer,
    body: OmniBody,
) -> Answer {
    let ChangePassword { current, new } = ChangePassword::read(body.fields())?;
    let (user, by) = (&caller.agent.profile.user, caller.right()?);
    let new = (current, new);
    actions::change_password(&services, &caller.app, user, by, new, peer).await?;
    data(Done { message: "Your password is changed; sign in again." })
}

#[utoipa::path(
    get,
    path = "/api/v1/admin/get_profile",
    operation_id = "get_profile",
    tag = "People",
    summary = "Show who you are, and your app",
    responses((status = 200, description = "Done", body = Data<SignedInUserShape<'static>>)),
)]
pub(crate) async fn load_profile(State(services): State<Services>, caller: AgentCaller) -> Answer {
    let is_admin = caller.agent.profile.user.role == Role::Admin;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(user(&caller.agent, None, set.shown(&caller.app, is_admin)))
}

async fn answer(services: &Services, body: &OmniBody, code: Option<&str>, peer: Peer) -> Answer {
    let SignInRequest { email, password } = SignInRequest::read(body.fields())?;
    let signed = actions::sign_in(services, &email, password, code, peer).await?;
    let SignedIn { app, agent, token } = &signed;
    let is_admin = agent.profile.user.role == Role::Admin;
    let set = AppSettings::load(services, app).await?;
    data(signed_in(agent, token, set.shown(app, is_admin)))
}
