//! Sign-in of users, and their access tokens (wire facts 4.1).

use axum::extract::State;
use axum::http::StatusCode;
use confab_app::actions;
use confab_app::credentials::identity_tokens;
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::limits;
use confab_domain::people::resetting_tokens::{LogOut, ResetToken};
use confab_domain::people::user::{User, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::initiating::UseNonce;
use confab_runtime::{clock, ids};
use confab_wire::body::Body;
use confab_wire::message_api::{Confirmed, Results, confirmed};
use confab_wire::omnichannel_api::channels as wire;
use confab_wire::omnichannel_api::channels::{
    VerifiedUser, VerifyIdentityFields, read_identity_token,
};
use confab_wire::sdk_api::people::{
    Login, LoginFields, NewToken, TokenFields, new_token, read_claims, read_token_owner,
};

use super::profile::account_with;
use crate::calls::calls;
use crate::requests::bodies::RequestBody;
use crate::requests::callers::{ClientApp, ClientCaller, UserCaller};
use crate::requests::part::Part;
use crate::requests::peer::ClientPeer;
use crate::requests::quotas;
use crate::responses::answer::{Answer, ok};
use crate::responses::problem::Problem;

calls! {
    "Clients";
    /// Get a nonce, valid once and for ten minutes
    POST "/auth/nonce" auth_nonce = make_nonce;
    /// Exchange an identity token for its user and their access token, once
    POST "/auth/verify_identity_token" verify_identity_token = verify_token [403];
    /// Log in with a password, or register a new user
    POST "/login_or_register" sdk_login_or_register = login [403 404];
    /// Replace the caller's access token; the old one stops working
    POST "/refresh_user_token" sdk_refresh_user_token = refresh_token [403 404];
    /// Invalidate the caller's access token, on all devices
    POST "/expire_user_token" sdk_expire_user_token = expire_token [403 404];
    /// Log out, on all devices
    POST "/logout" sdk_logout = logout [403 404];
}

async fn make_nonce(
    State(services): State<Services>,
    caller: ClientApp,
    ClientPeer(peer): ClientPeer,
) -> Answer<Results<wire::Nonce>> {
    services.admission().quotas.count_nonce(caller.app.id, peer)?;
    let (nonce, until) =
        actions::make_nonce(services.decisions(), &caller, limits::NONCE_TTL_S).await?;
    ok(wire::nonce(nonce, until))
}

async fn verify_token(
    State(services): State<Services>,
    caller: ClientApp,
    body: RequestBody<VerifyIdentityFields>,
) -> Answer<Results<VerifiedUser<'static>>> {
    let shown = read_identity_token(&body.fields()?)?;
    let claims = identity_tokens::claims(&caller.app, &shown, clock::now()).ok_or_else(forged)?;
    let user = claims.user().ok_or_else(forged)?;
    services.decisions().decide(&caller, UseNonce { nonce: claims.nce }).await?;
    let edit = read_claims(claims.name, claims.avatar_url);
    let user = actions::become_user(services.decisions(), &caller, &user, edit).await?;
    account(&services, &caller.app, &user).await
}

async fn login(
    State(services): State<Services>,
    caller: ClientApp,
    ClientPeer(peer): ClientPeer,
    body: RequestBody<LoginFields>,
) -> Answer<Results<VerifiedUser<'static>>> {
    let Login { user_id, password, profile } = Login::read(&body.fields()?)?;
    let own = UserRef::own(user_id.clone());
    quotas::count_newcomer(&services, caller.app.id, &own, peer).await?;
    let user = actions::log_in(&services, &caller, &user_id, password, profile, peer).await?;
    account(&services, &caller.app, &user).await
}

async fn refresh_token(
    Part(decisions): Part<Decisions>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody<TokenFields>,
) -> Answer<Results<NewToken>> {
    means_own_token(&caller, &body.fields()?)?;
    let user = caller.user.itself();
    let rule = ResetToken { user, token: ids::secret() };
    ok(new_token(decisions.decide(&caller, rule).await?))
}

async fn expire_token(
    Part(decisions): Part<Decisions>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody<TokenFields>,
) -> Answer<Results<Confirmed>> {
    means_own_token(&caller, &body.fields()?)?;
    let rule = LogOut { user: caller.user.itself(), token: ids::secret() };
    decisions.decide(&caller, rule).await?;
    ok(confirmed("The token is no longer valid."))
}

async fn logout(
    Part(decisions): Part<Decisions>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody<TokenFields>,
) -> Answer<Results<Confirmed>> {
    means_own_token(&caller, &body.fields()?)?;
    let rule = LogOut { user: caller.user.itself(), token: ids::secret() };
    decisions.decide(&caller, rule).await?;
    ok(confirmed("The token is no longer valid."))
}

fn forged() -> Problem {
    let message = "The identity_token is not for this app, or has expired. Create a new one.";
    Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
}

/// Answers with a user's account, including the access token.
pub(crate) async fn account(
    services: &Services,
    app: &App,
    user: &User,
) -> Answer<Results<VerifiedUser<'static>>> {
    let store = services.store();
    let unknown = || Refusal::UsersNotFound(vec![user.user_id.as_str().to_owned()]);
    let token = store.token_of(user.key).await?.ok_or_else(unknown)?;
    account_with(services, app, user, &token).await
}

/// Fails if the body names a user other than the caller.
fn means_own_token(caller: &UserCaller, body: &Body<'_>) -> Result<(), Problem> {
    let named = read_token_owner(body)?;
    match named.is_none_or(|named| named == caller.user.user_id.as_str()) {
        true => Ok(()),
        false => Err(Problem::wrong_token()),
    }
}
