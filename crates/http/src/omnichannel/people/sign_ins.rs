//! Lists of sign-ins (design/sign-in-and-limits), and links that sign in once
//! (design/sign-in-and-limits).

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

use crate::calls::calls;
use crate::omnichannel::people::agents::agent_of;
use crate::requests::bodies::WebhookDepth;
use crate::requests::callers::{AgentCaller, OmnichannelCaller};
use crate::responses::answer::{Answer, data};

calls! {
    "Dashboard";
    /// List your sign-ins, newest first
    GET "/api/v2/me/sign_ins" list_my_sign_ins = list_own;
    /// End all of your other sign-ins and sign-in links
    DELETE "/api/v2/me/sign_ins" end_my_other_sign_ins = end_others [400];
    /// End one of your sign-ins
    DELETE "/api/v2/me/sign_ins/{id}" end_my_sign_in = end_own [404];

    "People";
    /// List an agent's sign-ins, newest first
    GET "/api/v2/admin/agent/{id}/sign_ins" list_sign_ins = list [403 404];
    /// End all sign-ins and sign-in links of an agent
    DELETE "/api/v2/admin/agent/{id}/sign_ins" end_sign_ins = end_all [403 404];
    /// End one sign-in of an agent
    DELETE "/api/v2/admin/agent/{id}/sign_ins/{sign_in}" end_sign_in = end_one [403 404];
    /// Create a link that signs an agent in to the dashboard once, within a day
    POST "/api/v2/admin/agent/{id}/sign_in_link" make_sign_in_link = make_link [403 404];
}

async fn list_own(
    State(services): State<Services>,
    caller: AgentCaller,
) -> Answer<Data<SignInList<'static>>> {
    let user = caller.agent.profile.user.id;
    let found = services.store().sign_ins(user, clock::now()).await?;
    data(sign_in_list(&found, Some(&caller.token_hash)))
}

async fn end_others(
    State(services): State<Services>,
    caller: AgentCaller,
    depth: WebhookDepth,
) -> Answer<Data<Done>> {
    let (user, by) = (caller.agent.profile.user.id, caller.right()?);
    let which = WhichSignIns::AllBut(Some(caller.token_hash.clone()));
    end(&services, &caller.app, Some(by), user, which, depth).await
}

async fn end_own(
    State(services): State<Services>,
    caller: AgentCaller,
    depth: WebhookDepth,
    Path(id): Path<String>,
) -> Answer<Data<Done>> {
    let (user, by) = (caller.agent.profile.user.id, caller.right()?);
    end(&services, &caller.app, Some(by), user, one(&id)?, depth).await
}

async fn list(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
) -> Answer<Data<SignInList<'static>>> {
    caller.must_be(&[Role::Admin])?;
    let (store, user) = (services.store(), agent_of(&id)?);
    store.agent(caller.app.id, user).await?.ok_or(Refusal::AgentNotFound(user.0))?;
    data(sign_in_list(&store.sign_ins(user, clock::now()).await?, caller.shown_hash()))
}

async fn end_all(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    depth: WebhookDepth,
    Path(id): Path<String>,
) -> Answer<Data<Done>> {
    let by = caller.must_be(&[Role::Admin])?;
    let user = agent_of(&id)?;
    end(&services, &caller.app, by, user, WhichSignIns::AllBut(None), depth).await
}

async fn end_one(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    depth: WebhookDepth,
    Path((id, sign_in)): Path<(String, String)>,
) -> Answer<Data<Done>> {
    let by = caller.must_be(&[Role::Admin])?;
    let user = agent_of(&id)?;
    // Text that is not an integer matches no sign-in. The rule checks the agent first.
    let which = one(&sign_in).unwrap_or(WhichSignIns::One(SignInId(0)));
    end(&services, &caller.app, by, user, which, depth).await
}

async fn make_link(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
) -> Answer<Data<SignInLink>> {
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
) -> Answer<Data<Done>> {
    let rule = EndSignIns { user, which, new_sdk_key: ids::secret() };
    services.decide_after(depth.0, app, rule.on_right(by)).await?;
    data(Done { message: "Signed out." })
}
