//! Lists of sign-ins (design/sign-in-and-limits), and links that sign in once
//! (design/sign-in-and-limits).
//!
//! - `GET` and `DELETE /api/v2/me/sign_ins`, `DELETE /api/v2/me/sign_ins/{id}`
//! - `GET` and `DELETE /api/v2/admin/agent/{id}/sign_ins`
//! - `DELETE /api/v2/admin/agent/{id}/sign_ins/{sign_in}`
//! - `POST /api/v2/admin/agent/{id}/sign_in_link`

use std::sync::Arc;

use axum::extract::{Path, State};
use confab_app::process::start::sign_in_link;
use confab_app::services::Services;
use confab_app::{clock, ids};
use confab_domain::agents::linking::CreateSignInCode;
use confab_domain::agents::right::Right;
use confab_domain::agents::role::Role;
use confab_domain::agents::signing_out::{EndSignIns, WhichSignIns};
use confab_domain::app::App;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::{AgentId, SignInId};
use confab_domain::refusal::Refusal;
use confab_wire::omnichannel_api::people::sign_ins::{SignInLink, SignInList, sign_in_list};
use confab_wire::omnichannel_api::people::signing_in::Done;
use confab_wire::omnichannel_api::support::id_in_path;
use confab_wire::webhook_api::Data;

use crate::omnichannel::people::agents::agent_of;
use crate::requests::bodies::WebhookDepth;
use crate::requests::callers::{AgentCaller, OmnichannelCaller};
use crate::responses::answer::{Answer, data};

#[utoipa::path(
    get,
    path = "/api/v2/me/sign_ins",
    operation_id = "list_my_sign_ins",
    tag = "Dashboard",
    summary = "List your sign-ins, newest first",
    responses((status = 200, description = "Done", body = Data<SignInList<'static>>)),
)]
pub(crate) async fn list_own(State(services): State<Services>, caller: AgentCaller) -> Answer {
    let user = caller.agent.profile.user.id;
    let found = services.store().sign_ins(user, clock::now()).await?;
    data(sign_in_list(&found, Some(&caller.token_hash)))
}

#[utoipa::path(
    delete,
    path = "/api/v2/me/sign_ins",
    operation_id = "end_my_other_sign_ins",
    tag = "Dashboard",
    summary = "End all of your other sign-ins and sign-in links",
    responses((status = 200, description = "Done", body = Data<Done>)),
)]
pub(crate) async fn end_others(
    State(services): State<Services>,
    caller: AgentCaller,
    depth: WebhookDepth,
) -> Answer {
    let (user, by) = (caller.agent.profile.user.id, caller.right()?);
    let which = WhichSignIns::AllBut(Some(caller.token_hash.clone()));
    end(&services, &caller.app, Some(by), user, which, depth).await
}

#[utoipa::path(
    delete,
    path = "/api/v2/me/sign_ins/{id}",
    operation_id = "end_my_sign_in",
    tag = "Dashboard",
    summary = "End one of your sign-ins",
    params(("id" = String, Path, description = "Sign-in id")),
    responses((status = 200, description = "Done", body = Data<Done>)),
)]
pub(crate) async fn end_own(
    State(services): State<Services>,
    caller: AgentCaller,
    depth: WebhookDepth,
    Path(id): Path<String>,
) -> Answer {
    let (user, by) = (caller.agent.profile.user.id, caller.right()?);
    end(&services, &caller.app, Some(by), user, one(&id)?, depth).await
}

#[utoipa::path(
    get,
    path = "/api/v2/admin/agent/{id}/sign_ins",
    operation_id = "list_sign_ins",
    tag = "People",
    summary = "List an agent's sign-ins, newest first",
    params(("id" = i64, Path, description = "Agent id")),
    responses((status = 200, description = "Done", body = Data<SignInList<'static>>)),
)]
pub(crate) async fn list(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
) -> Answer {
    caller.must_be(&[Role::Admin])?;
    let (store, user) = (services.store(), agent_of(&id)?);
    store.agent(caller.app.id, user).await?.ok_or(Refusal::AgentNotFound(user.0))?;
    data(sign_in_list(&store.sign_ins(user, clock::now()).await?, caller.shown_hash()))
}

#[utoipa::path(
    delete,
    path = "/api/v2/admin/agent/{id}/sign_ins",
    operation_id = "end_sign_ins",
    tag = "People",
    summary = "End all sign-ins and sign-in links of an agent",
    params(("id" = i64, Path, description = "Agent id")),
    responses((status = 200, description = "Done", body = Data<Done>)),
)]
pub(crate) async fn end_all(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    depth: WebhookDepth,
    Path(id): Path<String>,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let user = agent_of(&id)?;
    end(&services, &caller.app, by, user, WhichSignIns::AllBut(None), depth).await
}

#[utoipa::path(
    delete,
    path = "/api/v2/admin/agent/{id}/sign_ins/{sign_in}",
    operation_id = "end_sign_in",
    tag = "People",
    summary = "End one sign-in of an agent",
    params(
        ("id" = i64, Path, description = "Agent id"),
        ("sign_in" = String, Path, description = "Sign-in id"),
    ),
    responses((status = 200, description = "Done", body = Data<Done>)),
)]
pub(crate) async fn end_one(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    depth: WebhookDepth,
    Path((id, sign_in)): Path<(String, String)>,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let user = agent_of(&id)?;
    // Text that is not an integer matches no sign-in. The rule checks the agent first.
    let which = one(&sign_in).unwrap_or(WhichSignIns::One(SignInId(0)));
    end(&services, &caller.app, by, user, which, depth).await
}

#[utoipa::path(
    post,
    path = "/api/v2/admin/agent/{id}/sign_in_link",
    operation_id = "make_sign_in_link",
    tag = "People",
    summary = "Create a link that signs an agent in to the dashboard once, within a day",
    params(("id" = i64, Path, description = "Agent id")),
    responses((status = 200, description = "Done", body = Data<SignInLink>)),
)]
pub(crate) async fn make_link(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let code = ids::secret();
    let rule = CreateSignInCode { user: agent_of(&id)?, hash: ids::token_hash(&code) };
    let until = services.decide(&caller.app, rule.on_right(by)).await?;
    data(SignInLink::new(sign_in_link(&services.config().public_url, &code), until))
}

fn one(id: &str) -> Result<WhichSignIns, Refusal> {
    let id = id_in_path(id, |_| Refusal::SignInNotFound)?;
    Ok(WhichSignIns::One(SignInId(id)))
}

async fn end(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    user: AgentId,
    which: WhichSignIns,
    depth: WebhookDepth,
) -> Answer {
    let rule = EndSignIns { user, which, new_sdk_key: ids::secret() };
    services.decide_after(depth.0, app, rule.on_right(by)).await?;
    data(Done { message: "Signed out." })
}
