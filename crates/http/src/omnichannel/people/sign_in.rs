//! Sign-in by token, and the caller's own account (wire facts 5.1, 5.4).

use std::sync::Arc;

use axum::extract::{Path, State};
use confab_app::actions::{self, SignedIn};
use confab_app::credentials::token_exchange;
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::agents::division::Divisions;
use confab_domain::agents::role::Role;
use confab_domain::agents::signing_in::SignOutAgent;
use confab_domain::agents::staffing::AgentEdit;
use confab_domain::app::App;
use confab_domain::refusal::Refusal;
use confab_domain::support::automation::auto_reply::AutoReplies;
use confab_domain::webhooks::event::AgentProfile;
use confab_runtime::admission::peer::Peer;
use confab_runtime::ids;
use confab_store::StoreError;
use confab_wire::omnichannel_api::people::signing_in::{
    ChangePassword, ChangePasswordFields, Done, ExchangeToken, ExchangeTokenFields, OwnOffice,
    SignInFields, SignInRequest, SignedInShape, SignedInUserShape, UpdateProfileFields,
    read_profile, signed_in, user,
};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::actor;
use crate::omnichannel::people::settings::AppSettings;
use crate::requests::access::Everyone;
use crate::requests::bodies::{OmnichannelBody, WebhookDepth};
use crate::requests::callers::Public;
use crate::requests::callers::{ActingAgent, AgentCaller, AuthorizedUser, By};
use crate::requests::part::Part;
use crate::requests::peer::ClientPeer;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

calls! {
    "People";
    /// Sign in and get a token for the header Authorization, valid for 30 days
    POST "/api/v1/auth" sign_in = sign_in [401 429];
    /// Sign in to this app only
    POST "/{app_code}/api/v1/auth" sign_in_to_app = sign_in_to_app [401 404 429];
    /// Sign out: the token is invalidated, and the logout webhook is sent
    POST "/api/v1/auth/logout" sign_out = sign_out [400];
    /// Change your own password; all your sign-ins end
    POST "/api/v1/auth/change_password" change_password = change_password [403];
    /// Get the caller's profile and app; for the app itself, that of its first admin
    GET "/api/v1/admin/get_profile" get_profile = load_profile [400];
    /// Get the caller's profile and app
    GET "/api/v1/agent/get_profile" get_agent_profile = load_own_profile;
    /// Change your own name and email address
    POST "/api/v1/agent/update_profile" update_agent_profile = change_own_profile [403 404 409];

    "Clients";
    /// Sign in with the SDK token in Authorization and the `qismo_key` of its owner
    POST "/api/v1/auth/get_token_by_qismo_key" exchange_token = exchange_token;
}

async fn sign_in(
    State(services): State<Services>,
    _: Public,
    ClientPeer(peer): ClientPeer,
    body: OmnichannelBody<SignInFields>,
) -> Answer<Data<SignedInShape<'static>>> {
    answer(&services, &body, None, peer).await
}

async fn sign_in_to_app(
    State(services): State<Services>,
    _: Public,
    Path(code): Path<String>,
    ClientPeer(peer): ClientPeer,
    body: OmnichannelBody<SignInFields>,
) -> Answer<Data<SignedInShape<'static>>> {
    answer(&services, &body, Some(&code), peer).await
}

async fn sign_out(
    Part(decisions): Part<Decisions>,
    caller: AgentCaller<Everyone>,
    depth: WebhookDepth,
) -> Answer<Data<Done>> {
    end_sign_in(&decisions, caller, depth).await?;
    data(Done { message: "You are signed out." })
}

async fn change_password(
    State(services): State<Services>,
    caller: AgentCaller<Everyone>,
    ClientPeer(peer): ClientPeer,
    body: OmnichannelBody<ChangePasswordFields>,
) -> Answer<Data<Done>> {
    let ChangePassword { current, new } = ChangePassword::read(body.fields())?;
    let user = &caller.agent.profile.user;
    let new = (current, new);
    actions::change_password(&services, &caller, user, new, peer).await?;
    data(Done { message: "Your password is changed; sign in again." })
}

async fn exchange_token(
    State(services): State<Services>,
    AuthorizedUser(caller): AuthorizedUser,
    body: OmnichannelBody<ExchangeTokenFields>,
) -> Answer<Data<SignedInUserShape<'static>>> {
    let ExchangeToken { app_code, key } = ExchangeToken::read(body.fields())?;
    if app_code != caller.app.code.as_str() {
        return Err(Refusal::WrongSignIn.into());
    }
    let signed = actions::exchange_token(services.decisions(), &caller, &caller.user, &key).await?;
    let SignedIn { app, agent, token } = &signed;
    let is_admin = agent.profile.user.role == Role::Admin;
    let own = AppOfAgent::load(&services, app).await?;
    let profile = &agent.profile;
    data(user(profile, Some(token), own.set.shown(app, is_admin), own.office(app, Some(profile))))
}

async fn load_profile(
    State(services): State<Services>,
    caller: By<Everyone>,
) -> Answer<Data<SignedInUserShape<'static>>> {
    let is_person = caller.agent.is_some();
    let shown = actor(services.store(), &caller.app, caller.agent.clone()).await?;
    profile(&services, &caller.app, &shown, is_person).await
}

async fn load_own_profile(
    State(services): State<Services>,
    caller: ActingAgent<Everyone>,
) -> Answer<Data<SignedInUserShape<'static>>> {
    let is_person = caller.right().is_some();
    profile(&services, &caller.app, &caller.agent.profile, is_person).await
}

async fn change_own_profile(
    State(services): State<Services>,
    caller: ActingAgent<Everyone>,
    body: OmnichannelBody<UpdateProfileFields>,
) -> Answer<Data<SignedInUserShape<'static>>> {
    let (is_person, user) = (caller.right().is_some(), caller.agent.profile.user.id);
    let (name, email) = read_profile(body.fields())?;
    let edit = AgentEdit { name: Some(name), email, ..AgentEdit::default() };
    actions::update_agent(&services, &caller, user, edit, None).await?;
    let found = services.store().agent(caller.app.id, user).await?;
    let found = found.ok_or(Refusal::AgentNotFound(user.0))?;
    profile(&services, &caller.app, &found.profile, is_person).await
}

/// Answers with an agent's profile. It includes the agent's `qismo_key` if `is_person`, because
/// only signed-in agents may receive it.
async fn profile(
    services: &Services,
    app: &Arc<App>,
    shown: &AgentProfile,
    is_person: bool,
) -> Answer<Data<SignedInUserShape<'static>>> {
    let is_admin = shown.user.role == Role::Admin;
    let own = AppOfAgent::load(services, app).await?;
    let office = own.office(app, Some(shown).filter(|_| is_person));
    data(user(shown, None, own.set.shown(app, is_admin), office))
}

/// Ends the calling agent's sign-in and sends the logout webhook.
pub(crate) async fn end_sign_in(
    decisions: &Decisions,
    caller: AgentCaller<Everyone>,
    depth: WebhookDepth,
) -> Result<(), Problem> {
    let (user, token_hash) = (caller.agent.profile.user.id, caller.token_hash.clone());
    let rule = SignOutAgent { user, token_hash, new_sdk_key: ids::secret() };
    decisions.decide_after(depth.0, &caller, rule).await?;
    Ok(())
}

async fn answer(
    services: &Services,
    body: &OmnichannelBody<SignInFields>,
    code: Option<&str>,
    peer: Peer,
) -> Answer<Data<SignedInShape<'static>>> {
    let SignInRequest { email, password } = SignInRequest::read(body.fields())?;
    let signed = actions::sign_in(services, &email, password, code, peer, &[]).await?;
    let SignedIn { app, agent, token } = &signed;
    let is_admin = agent.profile.user.role == Role::Admin;
    let own = AppOfAgent::load(services, app).await?;
    let office = own.office(app, Some(&agent.profile));
    data(signed_in(agent, token, own.set.shown(app, is_admin), office))
}

/// Data about an app that its signed-in agents receive.
struct AppOfAgent {
    set: AppSettings,
    divisions: Divisions,
    auto_replies: AutoReplies,
}

impl AppOfAgent {
    async fn load(services: &Services, app: &Arc<App>) -> Result<Self, StoreError> {
        let (set, store) = (AppSettings::load(services, app).await?, services.store());
        let divisions = store.divisions(app.id).await?;
        Ok(Self { set, divisions, auto_replies: store.auto_replies(app.id).await?.of_app })
    }

    /// Renders the app's data. It includes the `qismo_key` of the agent `own`, if given.
    fn office(&self, app: &App, own: Option<&AgentProfile>) -> OwnOffice<'_> {
        OwnOffice {
            qismo_key: own.map(|own| token_exchange::key(app, own)).unwrap_or_default(),
            divisions: &self.divisions,
            auto_replies: &self.auto_replies,
        }
    }
}
