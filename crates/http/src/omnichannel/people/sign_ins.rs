//! Lists of sign-ins (design/sign-in-and-limits), and links that sign in once
//! (design/sign-in-and-limits).

use axum::extract::{Path, State};
use confab_app::decide::Decisions;
use confab_app::process::start::sign_in_link;
use confab_app::services::Services;
use confab_domain::agents::linking::CreateSignInCode;
use confab_domain::agents::signing_out::{EndSignIns, WhichSignIns};
use confab_domain::decision::principal::Principal;
use confab_domain::ids::{AgentId, SignInId};
use confab_domain::refusal::Refusal;
use confab_runtime::{clock, ids};
use confab_store::Store;
use confab_wire::omnichannel_api::people::sign_ins::{SignInLink, SignInList, sign_in_list};
use confab_wire::omnichannel_api::people::signing_in::Done;
use confab_wire::omnichannel_api::support::id_in_path;
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::people::agents::agent_of;
use crate::requests::access::{Admins, Everyone};
use crate::requests::bodies::WebhookDepth;
use crate::requests::callers::{AgentCaller, By};
use crate::requests::part::Part;
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
    Part(store): Part<Store>,
    caller: AgentCaller<Everyone>,
) -> Answer<Data<SignInList<'static>>> {
    let user = caller.agent.profile.user.id;
    let found = store.sign_ins(user, clock::now()).await?;
    data(sign_in_list(&found, Some(&caller.token_hash)))
}

async fn end_others(
    Part(decisions): Part<Decisions>,
    caller: AgentCaller<Everyone>,
    depth: WebhookDepth,
) -> Answer<Data<Done>> {
    let user = caller.agent.profile.user.id;
    let which = WhichSignIns::AllBut(Some(caller.token_hash.clone()));
    end(&decisions, &caller, user, which, depth).await
}

async fn end_own(
    Part(decisions): Part<Decisions>,
    caller: AgentCaller<Everyone>,
    depth: WebhookDepth,
    Path(id): Path<String>,
) -> Answer<Data<Done>> {
    let user = caller.agent.profile.user.id;
    end(&decisions, &caller, user, one(&id)?, depth).await
}

async fn list(
    Part(store): Part<Store>,
    caller: By<Admins>,
    Path(id): Path<String>,
) -> Answer<Data<SignInList<'static>>> {
    let user = agent_of(&id)?;
    store.agent(caller.app.id, user).await?.ok_or(Refusal::AgentNotFound(user.0))?;
    let own = caller.right().map(|right| right.sign_in.as_str());
    data(sign_in_list(&store.sign_ins(user, clock::now()).await?, own))
}

async fn end_all(
    Part(decisions): Part<Decisions>,
    caller: By<Admins>,
    depth: WebhookDepth,
    Path(id): Path<String>,
) -> Answer<Data<Done>> {
    let user = agent_of(&id)?;
    end(&decisions, &caller, user, WhichSignIns::AllBut(None), depth).await
}

async fn end_one(
    Part(decisions): Part<Decisions>,
    caller: By<Admins>,
    depth: WebhookDepth,
    Path((id, sign_in)): Path<(String, String)>,
) -> Answer<Data<Done>> {
    let user = agent_of(&id)?;
    // Text that is not an integer matches no sign-in. The rule checks the agent first.
    let which = one(&sign_in).unwrap_or(WhichSignIns::One(SignInId(0)));
    end(&decisions, &caller, user, which, depth).await
}

async fn make_link(
    State(services): State<Services>,
    caller: By<Admins>,
    Path(id): Path<String>,
) -> Answer<Data<SignInLink>> {
    let code = ids::secret();
    let rule = CreateSignInCode { user: agent_of(&id)?, hash: ids::token_hash(&code) };
    let until = services.decisions().decide(&caller, rule).await?;
    data(SignInLink::new(sign_in_link(&services.config().public_url, &code), until))
}

fn one(id: &str) -> Result<WhichSignIns, Refusal> {
    let id = id_in_path(id, |_| Refusal::SignInNotFound)?;
    Ok(WhichSignIns::One(SignInId(id)))
}

async fn end(
    decisions: &Decisions,
    by: &Principal,
    user: AgentId,
    which: WhichSignIns,
    depth: WebhookDepth,
) -> Answer<Data<Done>> {
    let rule = EndSignIns { user, which, new_sdk_key: ids::secret() };
    decisions.decide_after(depth.0, by, rule).await?;
    data(Done { message: "Signed out." })
}
