//! Extractors of authenticated callers: an app by its id and SDK secret or secret key (spec 5), or
//! a person by a token. Only this file creates the principals of requests.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use confab_app::apps::AppHandle;
use confab_app::credentials::realtime_tickets::RealtimeTicket;
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::agents::account::is_seen_worth_noting;
use confab_domain::agents::agent::Agent;
use confab_domain::agents::right::Right;
use confab_domain::agents::role::Role;
use confab_domain::agents::signing_out::RecordSignInUse;
use confab_domain::app::{App, AppCode};
use confab_domain::decision::principal::Principal;
use confab_domain::ids::{AgentId, AppId};
use confab_domain::people::user::{Realm, User};
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::customer_room::{AgentRecord, Candidate};
use confab_domain::support::conversations::initiating::UseNonce;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event::AgentProfile;
use confab_runtime::admission::peer::Peer;
use confab_runtime::admission::running_requests::{CountedCaller, RunningRequest, TooMany};
use confab_runtime::failures::chain;
use confab_runtime::{clock, ids};
use confab_store::{Store, StoreError, WriteError};
use subtle::{Choice, ConstantTimeEq};

use crate::api::{self, Api};
use crate::calls::Caller;
use crate::requests::access::{Access, Admins, Everyone};
use crate::requests::request::RequestContext;
use crate::requests::{cookie, peer};
use crate::responses::problem::Problem;

/// Assigns each caller the API of its calls.
macro_rules! callers {
    ($($caller:ident $(<$access:ident>)?: $api:ident,)+) => {$(
        impl$(<$access: Access>)? Caller for $caller$(<$access>)? {
            const API: &'static Api = &api::$api;
        }
    )+};
}

callers! {
    SdkCaller: MESSAGE_API,
    RestV2Caller: OLDER_MESSAGE_API,
    KeyCaller: OMNI_APP,
    AgentCaller<A>: OMNI_SIGNED_IN,
    By<A>: OMNI,
    WebhookCaller: WEBHOOK_API,
    ActingAgent<A>: OMNI_AGENT,
    BotCaller: OMNI_BOT,
    PathApp: OMNI_PUBLIC,
    ClientApp: CLIENTS_OF_APP,
    UserCaller: CLIENTS_OF_USER,
    ClientCaller: CLIENTS_OF_USER,
    AuthorizedUser: OMNI_SDK_TOKEN,
    RealtimeCaller: REALTIME,
    UnprovenRequest: OMNI_PUBLIC,
    Public: OMNI_PUBLIC,
    Streaming: CLIENTS_OF_USER,
}

/// Lets handlers pass a caller as the principal of a decision.
macro_rules! principals {
    ($($caller:ident $(<$access:ident>)?,)+) => {$(
        impl$(<$access: Access>)? Deref for $caller$(<$access>)? {
            type Target = Principal;

            fn deref(&self) -> &Principal {
                &self.principal
            }
        }
    )+};
}

principals! {
    SdkCaller,
    RestV2Caller,
    KeyCaller,
    AgentCaller<A>,
    By<A>,
    WebhookCaller,
    ActingAgent<A>,
    BotCaller,
    ClientApp,
    UserCaller,
}

/// An app that calls the message API.
pub(crate) struct SdkCaller {
    principal: Principal,
    _running: RunningRequest,
}

impl FromRequestParts<Services> for SdkCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Problem> {
        let (app, running) = proven(parts, services, &SDK_WITH_EITHER).await?;
        Ok(Self { principal: Principal::server(&app), _running: running })
    }
}

/// An app that calls the older message API. Its clients may name the app only by the first label of
/// the host name (wire facts 1).
pub(crate) struct RestV2Caller {
    principal: Principal,
    _running: RunningRequest,
}

impl FromRequestParts<Services> for RestV2Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Problem> {
        let code = branded(&parts.headers, &services.config().brands, SDK_APP_ID);
        let code = code.or_else(|| first_label(parts));
        let (app, running) = proven_as(parts, services, &SDK_WITH_EITHER, code).await?;
        Ok(Self { principal: Principal::server(&app), _running: running })
    }
}

/// Returns `shop` of `shop.chat.example`.
fn first_label(parts: &Parts) -> Option<&str> {
    let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let (label, _) = host.or_else(|| parts.uri.host())?.split_once('.')?;
    Some(label)
}

/// An app authenticated by its secret key.
pub(crate) struct KeyCaller {
    principal: Principal,
    _running: RunningRequest,
}

impl FromRequestParts<Services> for KeyCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Problem> {
        let (app, running) = proven(parts, services, &KEY).await?;
        Ok(Self { principal: Principal::secret_key(&app), _running: running })
    }
}

/// An agent authenticated by the token of a sign-in (spec 5), who has one of the roles.
pub(crate) struct AgentCaller<A> {
    pub(crate) principal: Principal,
    pub(crate) agent: AgentRecord,
    /// Hash of the token by which the agent signed in.
    pub(crate) token_hash: String,
    _running: RunningRequest,
    _access: PhantomData<A>,
}

/// Fails unless the role is one of these.
fn check_role(role: Role, roles: &'static [Role]) -> Result<(), Refusal> {
    if roles.contains(&role) { Ok(()) } else { Err(Refusal::WrongRole(roles)) }
}

/// Fails unless the agent's sign-in is still valid and the agent's role permitted. Called after a
/// request took long to arrive, and during requests that stay open for long.
pub(crate) async fn prove_again(by: &Principal, store: &Store) -> Result<(), Problem> {
    let Some(right) = by.right() else { return Ok(()) };
    let found = store.signed_in(&right.sign_in, clock::now()).await?;
    let is_good = found.is_some_and(|it| right.roles.contains(&it.profile.user.role));
    if is_good { Ok(()) } else { Err(Refusal::SignedOut.into()) }
}

impl<A: Access> FromRequestParts<Services> for AgentCaller<A> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Problem> {
        let unauthorized = || {
            let message =
                "The token in Authorization is missing or wrong, or has expired. Sign in again.";
            Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
        };
        let tokens = match shown_token(&parts.headers) {
            Some(token) => vec![token],
            None => cookie::tokens(&parts.headers, services.config()),
        };
        let now = clock::now();
        let found = first_sign_in(services.store(), &tokens, now).await?;
        let (hash, agent, seen_at) = found.ok_or_else(unauthorized)?;
        let known =
            services.apps().of_id(agent.profile.user.app).await?.ok_or_else(unauthorized)?;
        // A request that also names an app must name the agent's.
        let named = branded(&parts.headers, &services.config().brands, KEY.code_header);
        if named.is_some_and(|named| named != known.app.code.as_str()) {
            return Err(unauthorized());
        }
        let caller = CountedCaller::Agent(agent.profile.user.id);
        let running = counted(&RequestContext::of(parts), services, &known, caller)?;
        if is_seen_worth_noting(seen_at, now) {
            note_use(services, &known.app, &hash);
        }
        let Agent { id: user, role, .. } = agent.profile.user;
        check_role(role, A::ROLES)?;
        let right = Right { user, sign_in: hash.clone(), roles: A::ROLES, role };
        let principal = Principal::agent(&known.app, right);
        Ok(Self { principal, agent, token_hash: hash, _running: running, _access: PhantomData })
    }
}

/// Returns the first valid sign-in among these tokens: the token's hash, the agent, and the time at
/// which the sign-in was last used.
async fn first_sign_in(
    store: &Store,
    tokens: &[&str],
    now: Timestamp,
) -> Result<Option<(String, AgentRecord, Timestamp)>, StoreError> {
    for token in tokens {
        let hash = ids::token_hash(token);
        if let Some((agent, seen_at)) = store.used_sign_in(&hash, now).await? {
            return Ok(Some((hash, agent, seen_at)));
        }
    }
    Ok(None)
}

/// Records the use of a sign-in in the background. If that fails, the next request records it.
fn note_use(services: &Services, app: &Arc<App>, hash: &str) {
    let (services, server, hash) = (services.clone(), Principal::server(app), hash.to_owned());
    tokio::spawn(async move {
        if let Err(WriteError::Failed(error)) =
            services.decisions().decide(&server, RecordSignInUse { hash }).await
        {
            tracing::debug!(
                app.id = server.app.id.0,
                error = %chain(&error),
                "failed to record the use of a sign-in"
            );
        }
    });
}

/// Returns the token in the `Authorization` header, without a scheme such as `Bearer` before it.
fn shown_token(headers: &HeaderMap) -> Option<&str> {
    let shown = headers.get(header::AUTHORIZATION)?.to_str().ok()?.trim();
    let token = shown.rsplit(' ').next().unwrap_or(shown);
    Some(token).filter(|token| !token.is_empty())
}

/// An app authenticated by its secret key, or a signed-in agent who has one of the roles.
pub(crate) struct By<A> {
    principal: Principal,
    /// The agent; `None` if the app itself made the request, which has all rights.
    pub(crate) agent: Option<AgentRecord>,
    _running: RunningRequest,
    _access: PhantomData<A>,
}

impl<A> By<A> {
    /// Returns the agent who made the request; `None` if the app itself made it.
    pub(crate) fn user(&self) -> Option<Agent> {
        self.agent.as_ref().map(|agent| agent.profile.user.clone())
    }
}

impl<A: Access> FromRequestParts<Services> for By<A> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Problem> {
        let brands = &services.config().brands;
        let (principal, agent, _running) =
            match branded(&parts.headers, brands, KEY.secret_header).is_some() {
                true => {
                    let caller = KeyCaller::from_request_parts(parts, services).await?;
                    (caller.principal, None, caller._running)
                }
                false => {
                    let caller = AgentCaller::<A>::from_request_parts(parts, services).await?;
                    (caller.principal, Some(caller.agent), caller._running)
                }
            };
        Ok(Self { principal, agent, _running, _access: PhantomData })
    }
}

/// A caller of the webhook API: the app with its secret key, or a signed-in admin.
pub(crate) struct WebhookCaller {
    principal: Principal,
    _running: RunningRequest,
}

impl FromRequestParts<Services> for WebhookCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Problem> {
        let config = services.config();
        let is_signed_in = shown_token(&parts.headers).is_some()
            || !cookie::tokens(&parts.headers, config).is_empty();
        let has_key = branded(&parts.headers, &config.brands, KEY.secret_header).is_some();
        // Without any credentials, the error names the key, as before admins could call.
        if has_key || !is_signed_in {
            let KeyCaller { principal, _running } =
                KeyCaller::from_request_parts(parts, services).await?;
            return Ok(Self { principal, _running });
        }
        let caller = AgentCaller::<Admins>::from_request_parts(parts, services).await?;
        Ok(Self { principal: caller.principal, _running: caller._running })
    }
}

/// The agent who performs an action and has one of the roles: either a signed-in agent, or an agent
/// whom the app names by id in a request with its secret key, which needs no sign-in.
pub(crate) struct ActingAgent<A> {
    principal: Principal,
    pub(crate) agent: AgentRecord,
    _running: RunningRequest,
    _access: PhantomData<A>,
}

impl<A: Access> FromRequestParts<Services> for ActingAgent<A> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Problem> {
        let brands = &services.config().brands;
        let has_key = branded(&parts.headers, brands, KEY.secret_header).is_some();
        let named = branded(&parts.headers, brands, "User-Id").map(str::to_owned);
        let Some(named) = named.filter(|_| has_key) else {
            let caller = AgentCaller::<A>::from_request_parts(parts, services).await?;
            let AgentCaller { principal, agent, _running, _access, .. } = caller;
            return Ok(Self { principal, agent, _running, _access });
        };
        let KeyCaller { principal, _running } =
            KeyCaller::from_request_parts(parts, services).await?;
        let agent =
            named_agent(services.store(), principal.app.id, &named).await?.ok_or_else(|| {
                let message = "The header User-Id does not name an agent of this app.";
                Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
            })?;
        check_role(agent.profile.user.role, A::ROLES)?;
        Ok(Self { principal, agent, _running, _access: PhantomData })
    }
}

/// Finds an agent of the app by id, email address, or the id of the user as whom the agent posts.
async fn named_agent(
    store: &Store,
    app: AppId,
    named: &str,
) -> Result<Option<AgentRecord>, Problem> {
    let found = match named.parse() {
        Ok(id) => store.agent(app, AgentId(id)).await?,
        Err(_) => store.agents(app).await?.into_iter().find(|it| {
            let AgentProfile { user, sdk_user, .. } = &it.profile;
            user.email.eq_ignore_ascii_case(named) || sdk_user.as_str() == named
        }),
    };
    Ok(found.map(|Candidate { profile, serves_max, channels, .. }| AgentRecord {
        speaker: profile.speaker(),
        profile,
        serves_max,
        channels,
        away_since: None,
        deleted_at: None,
    }))
}

/// A caller of the bot API: the app that the path names, or a signed-in admin of that app. The app
/// may send its SDK secret or its secret key in the header of either (wire facts 1, 5.3).
pub(crate) struct BotCaller {
    principal: Principal,
    _running: RunningRequest,
}

impl FromRequestParts<Services> for BotCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Problem> {
        let code = path_app_code(parts, services).await;
        let brands = &services.config().brands;
        let shown = |rest| branded(&parts.headers, brands, rest);
        let is_another = |named: &str| Some(named) != code.as_deref();
        let mut named = [KEY.code_header, SDK_APP_ID].into_iter().filter_map(shown);
        if named.any(is_another) {
            return Err(Problem::unauthorized(OTHER_APP.to_owned()));
        }
        let has_key = shown(KEY.secret_header).is_some();
        if has_key || shown(SDK_WITH_EITHER.secret_header).is_some() {
            let proof = if has_key { &KEY_WITH_EITHER } else { &SDK_WITH_EITHER };
            let (app, running) = proven_as(parts, services, proof, code.as_deref()).await?;
            return Ok(Self { principal: Principal::secret_key(&app), _running: running });
        }
        let caller = AgentCaller::<Everyone>::from_request_parts(parts, services).await?;
        if is_another(caller.app.code.as_str()) {
            return Err(Problem::unauthorized(OTHER_APP.to_owned()));
        }
        let principal = caller.limited_to(Admins::ROLES)?;
        Ok(Self { principal, _running: caller._running })
    }
}

/// An app that a request names without credentials. The handler must count the request by
/// [`NamedApp::count`].
pub(crate) struct NamedApp {
    known: Option<AppHandle>,
    arrived: UnprovenRequest,
}

impl NamedApp {
    /// Finds the app with this code.
    pub(crate) async fn find(
        code: Option<&str>,
        arrived: UnprovenRequest,
        decisions: &Decisions,
    ) -> Result<Self, Problem> {
        let code = code.and_then(|code| AppCode::parse(code).ok());
        let known = match code {
            Some(code) => decisions.apps().of_code(&code).await?,
            None => None,
        };
        Ok(Self { known, arrived })
    }

    /// Returns the app, if it exists.
    pub(crate) fn app(&self) -> Option<&Arc<App>> {
        self.known.as_ref().map(|known| &known.app)
    }

    /// Returns on whose behalf rules decide about an anonymous request: the server.
    pub(crate) fn principal(&self) -> Option<Principal> {
        self.app().map(Principal::server)
    }

    /// Counts an anonymous request against the limits of the app.
    pub(crate) fn count(&self, services: &Services) -> Result<Option<RunningRequest>, Problem> {
        self.count_as(CountedCaller::Stranger(self.arrived.peer), services)
    }

    /// Counts a request of the app itself, whose credentials the handler found in the body.
    pub(crate) fn count_proven(
        &self,
        services: &Services,
    ) -> Result<Option<RunningRequest>, Problem> {
        self.count_as(CountedCaller::App, services)
    }

    fn count_as(
        &self,
        caller: CountedCaller,
        services: &Services,
    ) -> Result<Option<RunningRequest>, Problem> {
        let known = self.known.as_ref();
        known.map(|known| counted(&self.arrived.request, services, known, caller)).transpose()
    }
}

/// The app whose code is in the path.
pub(crate) struct PathApp(pub(crate) NamedApp);

impl FromRequestParts<Services> for PathApp {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Problem> {
        let code = path_app_code(parts, services).await;
        NamedApp::find(code.as_deref(), UnprovenRequest::of(parts, services), services.decisions())
            .await
            .map(Self)
    }
}

/// The app whose code is in a header of a client without a secret (wire facts 4.1).
pub(crate) struct ClientApp {
    principal: Principal,
    _running: RunningRequest,
}

impl FromRequestParts<Services> for ClientApp {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Problem> {
        let code = branded(&parts.headers, &services.config().brands, SDK_APP_ID);
        let named =
            NamedApp::find(code, UnprovenRequest::of(parts, services), services.decisions())
                .await?;
        let running = named.count(services)?;
        match (named.principal(), running) {
            (Some(principal), Some(running)) => Ok(Self { principal, _running: running }),
            _ => {
                let message = "The app id is missing or wrong. Send it in its header.";
                Err(Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", message))
            }
        }
    }
}

/// A user authenticated by the access token of their client (wire facts 1). Rejects the customers
/// of channels, who may make only the calls that take a [`ClientCaller`] (D-0071).
pub(crate) struct UserCaller {
    principal: Principal,
    pub(crate) user: Arc<User>,
    /// Access token that the request contained.
    pub(crate) token: String,
    _running: RunningRequest,
}

impl FromRequestParts<Services> for UserCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Problem> {
        ClientCaller::from_request_parts(parts, services).await?.must_be_own_user()
    }
}

/// A user of the app, or the customer of a channel, such as a visitor of the widget. To a customer,
/// a call with this extractor must show nothing but the rooms that the customer is in, and their
/// participants (D-0071).
pub(crate) struct ClientCaller(pub(crate) UserCaller);

impl FromRequestParts<Services> for ClientCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Problem> {
        let brands = &services.config().brands;
        let shown = branded(&parts.headers, brands, "SDK-TOKEN").map(str::to_owned);
        // Some clients send the token of some calls only in the query.
        let token = shown.or_else(|| token_in_query(parts)).ok_or_else(Problem::wrong_token)?;
        Self::with_token(parts, services, token).await
    }
}

impl ClientCaller {
    /// Whether the request has a token in a header or the query. In uploads the token may be in the
    /// form instead; clients then send an empty header, or one with `null` or `undefined`.
    pub(crate) fn shows_token(parts: &Parts, services: &Services) -> bool {
        let brands = &services.config().brands;
        let is_token = |it: &str| !matches!(it, "" | "null" | "undefined");
        branded(&parts.headers, brands, "SDK-TOKEN").is_some_and(is_token)
            || token_in_query(parts).as_deref().is_some_and(is_token)
    }

    /// Authenticates the owner of this access token.
    pub(crate) async fn with_token(
        parts: &Parts,
        services: &Services,
        token: String,
    ) -> Result<Self, Problem> {
        let brands = &services.config().brands;
        let found = services.store().user_of_token(&token).await?;
        let user = found.filter(|user| user.is_active).ok_or_else(Problem::wrong_token)?;
        let known = services.apps().of_id(user.app).await?.ok_or_else(Problem::wrong_token)?;
        // A request that also names an app or a user must name the token's own.
        let shown = |rest| branded(&parts.headers, brands, rest);
        let is_other_app = shown(SDK_APP_ID).is_some_and(|it| it != known.app.code.as_str());
        let named = ["SDK-USER-ID", "SDK-USER-EMAIL"].into_iter().find_map(shown);
        let is_other_user = named.is_some_and(|it| !it.is_empty() && it != user.user_id.as_str());
        if is_other_app || is_other_user {
            return Err(Problem::wrong_token());
        }
        let request = RequestContext::of(parts);
        request.set_user(user.key);
        let running = counted(&request, services, &known, CountedCaller::User(user.key))?;
        let principal = Principal::server(&known.app);
        Ok(Self(UserCaller { principal, user: Arc::new(user), token, _running: running }))
    }

    /// Returns the caller, if it is one of the app's own users. Fails for the customer of a
    /// channel.
    fn must_be_own_user(self) -> Result<UserCaller, Problem> {
        match self.0.user.realm {
            Realm::App => Ok(self.0),
            Realm::Channel(_) => Err(Refusal::NotForCustomers.into()),
        }
    }
}

impl UserCaller {
    /// Fails unless the token is still valid. Called after a request took long to arrive.
    pub(crate) async fn prove_again(&self, store: &Store) -> Result<(), Problem> {
        let found = store.user_of_token(&self.token).await?;
        let is_good = found.is_some_and(|user| user.is_active && user.key == self.user.key);
        if is_good { Ok(()) } else { Err(Problem::wrong_token()) }
    }
}

/// A user whose access token is in the Authorization header, as sent by agent apps (wire facts
/// 5.7).
pub(crate) struct AuthorizedUser(pub(crate) UserCaller);

impl FromRequestParts<Services> for AuthorizedUser {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Problem> {
        let unauthorized = || {
            let message = "The SDK token in Authorization is missing or wrong.";
            Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
        };
        let token = shown_token(&parts.headers).ok_or_else(unauthorized)?.to_owned();
        let user = ClientCaller::with_token(parts, services, token).await;
        user.and_then(ClientCaller::must_be_own_user).map(Self).map_err(|problem| {
            match problem.status {
                StatusCode::FORBIDDEN => unauthorized(),
                _ => problem,
            }
        })
    }
}

fn token_in_query(parts: &Parts) -> Option<String> {
    in_query(parts, "token")
}

fn in_query(parts: &Parts, name: &str) -> Option<String> {
    let query = parts.uri.query()?;
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// A caller of `/realtime`, which also accepts a ticket instead of the token (D-0073).
pub(crate) struct RealtimeCaller(pub(crate) UserCaller);

impl FromRequestParts<Services> for RealtimeCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Problem> {
        let Some(ticket) = in_query(parts, "ticket").filter(|it| !it.is_empty()) else {
            let ClientCaller(caller) = ClientCaller::from_request_parts(parts, services).await?;
            return Ok(Self(caller));
        };
        let token = token_for_ticket(services.decisions(), &ticket).await?;
        let ClientCaller(caller) = ClientCaller::with_token(parts, services, token).await?;
        Ok(Self(caller))
    }
}

/// Returns the token of the ticket's user, and marks the ticket as used.
async fn token_for_ticket(decisions: &Decisions, ticket: &str) -> Result<String, Problem> {
    let wrong = Problem::wrong_token;
    let holder = RealtimeTicket::unproven(ticket).map(|it| it.holder());
    let (app, user) = holder.ok_or_else(wrong)?;
    let app = decisions.apps().of_id(app).await?.ok_or_else(wrong)?.app;
    let token = decisions.store().token_of(user).await?.ok_or_else(wrong)?;
    let nonce = RealtimeTicket::proven(ticket, &app, &token, clock::now()).ok_or_else(wrong)?;
    match decisions.decide(&Principal::server(&app), UseNonce { nonce }).await {
        Ok(()) => Ok(token),
        Err(WriteError::Refused(_)) => Err(wrong()),
        Err(WriteError::Failed(error)) => Err(error.into()),
    }
}

/// Anyone: a call that shows and changes nothing of an app, or whose credentials are in its body.
pub(crate) struct Public;

impl FromRequestParts<Services> for Public {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, _: &Services) -> Result<Self, Infallible> {
        Ok(Self)
    }
}

/// A caller whom the handler authenticates while the body arrives.
pub(crate) struct Streaming;

impl FromRequestParts<Services> for Streaming {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, _: &Services) -> Result<Self, Infallible> {
        Ok(Self)
    }
}

/// A request that is not authenticated yet, with its client address.
pub(crate) struct UnprovenRequest {
    request: RequestContext,
    peer: Peer,
}

impl UnprovenRequest {
    fn of(parts: &Parts, services: &Services) -> Self {
        let peer = peer::of(parts, services.config());
        Self { request: RequestContext::of(parts), peer }
    }
}

impl FromRequestParts<Services> for UnprovenRequest {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        services: &Services,
    ) -> Result<Self, Self::Rejection> {
        Ok(Self::of(parts, services))
    }
}

async fn path_app_code(parts: &mut Parts, services: &Services) -> Option<String> {
    let params = RawPathParams::from_request_parts(parts, services).await.ok()?;
    params.iter().find(|(name, _)| *name == "app_code").map(|(_, code)| code.to_owned())
}

/// Header, without its brand, by which servers and clients of the chat name their app.
const SDK_APP_ID: &str = "SDK-APP-ID";

/// The headers and valid secrets of one kind of an app's credentials.
struct AppProof {
    code_header: &'static str,
    secret_header: &'static str,
    secrets: fn(&App, Timestamp) -> RightSecrets<'_>,
    /// Name of the secret in error messages.
    name: &'static str,
}

/// The app's currently valid secrets. While a key is being changed, the former key is one of them.
type RightSecrets<'a> = [Option<&'a str>; 3];

const KEY: AppProof = AppProof {
    code_header: "App-Id",
    secret_header: "Secret-Key",
    secrets: |app, now| {
        let (key, former) = app.opening_keys(now);
        [Some(key), former, None]
    },
    name: "secret key",
};

// Some servers and bots have one field for both secrets and send one in the header of the other.
// Either is accepted where both give the same rights: in the message API and the bot API.
const SDK_WITH_EITHER: AppProof = AppProof {
    code_header: SDK_APP_ID,
    secret_header: "SDK-SECRET",
    secrets: either_secret,
    name: "SDK secret",
};

const KEY_WITH_EITHER: AppProof = AppProof { secrets: either_secret, ..KEY };

fn either_secret(app: &App, now: Timestamp) -> RightSecrets<'_> {
    let (key, former) = app.opening_keys(now);
    [Some(&app.sdk_secret), Some(key), former]
}

/// Message of a request whose credentials are of another app than its path.
const OTHER_APP: &str = "The credentials belong to another app than the one in the path.";

/// Returns the problem of a request whose app id or secret is missing or wrong, with the names of
/// the two headers.
fn unproven(services: &Services, proof: &AppProof) -> Problem {
    let brand = services.config().brands.first().map_or("SERVICE", String::as_str);
    let AppProof { code_header, secret_header, name, .. } = proof;
    Problem::unauthorized(format!(
        "The app id or {name} is missing or wrong. Send them in the headers {brand}-{code_header} \
         and {brand}-{secret_header}."
    ))
}

/// Authenticates the app by the code and the secret in its headers, and counts the request.
async fn proven(
    parts: &Parts,
    services: &Services,
    proof: &AppProof,
) -> Result<(Arc<App>, RunningRequest), Problem> {
    let code = branded(&parts.headers, &services.config().brands, proof.code_header);
    proven_as(parts, services, proof, code).await
}

/// Authenticates the app with this code by the secret in its headers, and counts the request.
async fn proven_as(
    parts: &Parts,
    services: &Services,
    proof: &AppProof,
    shown_code: Option<&str>,
) -> Result<(Arc<App>, RunningRequest), Problem> {
    let brands = &services.config().brands;
    let unauthorized = || unproven(services, proof);
    let shown_secret = branded(&parts.headers, brands, proof.secret_header);
    let (Some(code), Some(secret)) = (shown_code, shown_secret) else {
        return Err(unauthorized());
    };
    let code = AppCode::parse(code).map_err(|_| unauthorized())?;
    let known = services.apps().of_code(&code).await?;
    // Unknown apps cost the same comparison, so that timing does not reveal whether an app exists.
    let right = known.as_ref().map(|known| (proof.secrets)(&known.app, clock::now()));
    let right = right.unwrap_or([Some(secret), None, None]);
    let is_same = |right: &str| right.as_bytes().ct_eq(secret.as_bytes());
    let no = Choice::from(0);
    let is_right: bool = right.iter().flatten().fold(no, |any, it| any | is_same(it)).into();
    let Some(known) = known.filter(|_| is_right) else { return Err(unauthorized()) };
    let running = counted(&RequestContext::of(parts), services, &known, CountedCaller::App)?;
    Ok((known.app, running))
}

/// Counts the request against the limits of its app. Users, anonymous callers and the app itself
/// have separate limits.
fn counted(
    request: &RequestContext,
    services: &Services,
    known: &AppHandle,
    caller: CountedCaller,
) -> Result<RunningRequest, Problem> {
    request.set_app(known.app.clone());
    request.set_reader(known.app.id, caller);
    match services.admission().rate_limits.count_request(known.app.id, caller.pool()) {
        Ok(None) => {}
        Ok(Some(standing)) => request.set_standing(standing),
        Err(too_much) => {
            request.set_standing(too_much.standing());
            return Err(too_much.into());
        }
    }
    let pool_max = services.config().app_concurrent_requests;
    known.running.begin(caller, pool_max).map_err(|why| {
        let message = match why {
            TooMany::OfApp => "Too many requests of this app are running. Wait for some to finish.",
            TooMany::OfCaller => "Too many of your requests are running. Wait for some to finish.",
        };
        Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_at_once", message).retry_after(1)
    })
}

/// Returns the value of the header whose name is any of the brands, a hyphen and `rest`. Upper and
/// lower case are equal, as are `_` and `-`.
pub(crate) fn branded<'a>(
    headers: &'a HeaderMap,
    brands: &[String],
    rest: &str,
) -> Option<&'a str> {
    headers.iter().find_map(|(name, value)| {
        let is_it = brands.iter().any(|brand| is_named(name.as_str(), brand, rest));
        if is_it { value.to_str().ok() } else { None }
    })
}

fn is_named(name: &str, brand: &str, rest: &str) -> bool {
    let same = |(a, b): (u8, u8)| {
        let plain = |c: u8| if c == b'_' { b'-' } else { c.to_ascii_uppercase() };
        plain(a) == plain(b)
    };
    let wanted = brand.bytes().chain([b'-']).chain(rest.bytes());
    name.len() == brand.len() + 1 + rest.len() && name.bytes().zip(wanted).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branded_headers_match_in_any_brand_and_case_and_with_underscores() {
        let brands = ["SERVICE".to_owned(), "QISCUS".to_owned()];
        let found = |name: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, axum::http::HeaderValue::from_static("x"));
            branded(&headers, &brands, "SDK-APP-ID").is_some()
        };
        for name in ["service-sdk-app-id", "service_sdk_app_id", "qiscus-sdk_app-id"] {
            assert!(found(name), "{name}");
        }
        for name in ["other-sdk-app-id", "service-sdk-app-idx", "servicesdk-app-id", "sdk-app-id"] {
            assert!(!found(name), "{name}");
        }
    }
}
