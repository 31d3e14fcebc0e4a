//! `POST /api/v2/sdk/auth/verify_identity_token` (wire facts 4.1)

use axum::extract::State;
use axum::http::StatusCode;
use confab_wire::message_api::Results;
use confab_wire::omnichannel_api::channels::{
    VerifiedUser, VerifyIdentityFields, read_identity_token,
};
use confab_wire::sdk_api::people::read_claims;

use super::account;
use crate::http::answer::Answer;
use crate::http::bodies::RequestBody;
use crate::http::callers::ClientApp;
use crate::http::docs::Failures;
use crate::http::problem::Problem;
use crate::services::Services;
use crate::{actions, clock, identity_tokens};

#[utoipa::path(
    post,
    path = "/auth/verify_identity_token",
    operation_id = "verify_identity_token",
    tag = "Clients",
    summary = "Become the user of a token of identity, once",
    request_body = VerifyIdentityFields,
    security(("app_id" = [])),
    responses(
        (status = 200, description = "Done", body = Results<VerifiedUser<'static>>),
        Failures
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: ClientApp,
    body: RequestBody,
) -> Answer {
    let shown = read_identity_token(&body.fields()?)?;
    let claims = identity_tokens::claims(&caller.app, &shown, clock::now()).ok_or_else(forged)?;
    let user = claims.user().ok_or_else(forged)?;
    actions::use_nonce(&services, &caller.app, claims.nce).await?;
    let edit = read_claims(claims.name, claims.avatar_url);
    let user = actions::become_user(&services, &caller.app, &user, edit).await?;
    account(&services, &caller.app, &user).await
}

fn forged() -> Problem {
    let message = "The identity_token was not made for this app, or is too old.";
    Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
}
