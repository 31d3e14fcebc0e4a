//! `POST /login_or_register` (wire facts 4.1)

use axum::extract::State;
use confab_domain::people::user::UserRef;
use confab_wire::message_api::Results;
use confab_wire::omnichannel_api::channels::VerifiedUser;
use confab_wire::sdk_api::people::{Login, LoginFields};

use super::account;
use crate::actions;
use crate::http::answer::Answer;
use crate::http::bodies::RequestBody;
use crate::http::callers::ClientApp;
use crate::http::docs::Failures;
use crate::http::quotas;
use crate::peer::Peer;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/login_or_register",
    operation_id = "sdk_login_or_register",
    tag = "Clients",
    summary = "Become a user: a new one, or one whose password you know",
    request_body = LoginFields,
    security(("app_id" = [])),
    responses(
        (status = 200, description = "Done", body = Results<VerifiedUser<'static>>),
        Failures
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: ClientApp,
    peer: Peer,
    body: RequestBody,
) -> Answer {
    let Login { user_id, password, profile } = Login::read(&body.fields()?)?;
    let own = UserRef::own(user_id.clone());
    quotas::count_newcomer(&services, caller.app.id, &own, peer).await?;
    let user = actions::log_in(&services, &caller.app, &user_id, password, profile, peer).await?;
    account(&services, &caller.app, &user).await
}
