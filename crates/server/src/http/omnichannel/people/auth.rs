//! `POST /api/v1/auth` (wire facts 5.1)

use axum::extract::{Path, State};
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::signing_in::{
    SignIn, SignInFields, SignedInShape, signed_in,
};
use confab_wire::webhook_api::Data;

use super::AppSettings;
use crate::actions::{self, SignedIn};
use crate::http::answer::{Answer, data};
use crate::http::bodies::OmniBody;
use crate::http::docs::OmniFailures;
use crate::peer::Peer;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v1/auth",
    operation_id = "sign_in",
    tag = "People",
    summary = "Sign in: a token for the header Authorization, good for 30 days",
    request_body = SignInFields,
    responses(
        (status = 200, description = "Done", body = Data<SignedInShape<'static>>),
        OmniFailures
    ),
)]
pub(crate) async fn handler(
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
    responses(
        (status = 200, description = "Done", body = Data<SignedInShape<'static>>),
        OmniFailures
    ),
)]
pub(crate) async fn of_app(
    State(services): State<Services>,
    Path(code): Path<String>,
    peer: Peer,
    body: OmniBody,
) -> Answer {
    answer(&services, &body, Some(&code), peer).await
}

async fn answer(services: &Services, body: &OmniBody, code: Option<&str>, peer: Peer) -> Answer {
    let SignIn { email, password } = SignIn::read(body.fields())?;
    let signed = actions::sign_in(services, &email, password, code, peer).await?;
    let SignedIn { app, worker, token } = &signed;
    let is_admin = worker.profile.user.role == Role::Admin;
    let set = AppSettings::load(services, app).await?;
    data(signed_in(worker, token, set.shown(app, is_admin)))
}
