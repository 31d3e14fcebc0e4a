//! `POST /api/v1/auth/change_password` (D-0033)

use axum::extract::State;
use confab_wire::omnichannel_api::people::signing_in::{
    ChangePassword, ChangePasswordFields, Done,
};
use confab_wire::webhook_api::Data;

use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::OmniBody;
use crate::http::callers::AgentCaller;
use crate::http::docs::OmniFailures;
use crate::peer::Peer;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v1/auth/change_password",
    operation_id = "change_password",
    tag = "People",
    summary = "Change your own password; all your sign-ins end",
    request_body = ChangePasswordFields,
    security(("token" = [])),
    responses((status = 200, description = "Done", body = Data<Done>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: AgentCaller,
    peer: Peer,
    body: OmniBody,
) -> Answer {
    let ChangePassword { current, new } = ChangePassword::read(body.fields())?;
    let (user, by) = (&caller.worker.profile.user, caller.right()?);
    let new = (current, new);
    actions::change_password(&services, &caller.app, user, by, new, peer).await?;
    data(Done { message: "Your password is changed; sign in again." })
}
