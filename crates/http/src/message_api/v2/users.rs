//! Users (wire facts 3.9).

use axum::extract::State;
use confab_app::actions;
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::people::resetting_tokens::ResetToken;
use confab_domain::people::user::Realm;
use confab_domain::refusal::Refusal;
use confab_runtime::ids;
use confab_wire::message_api::Results;
use confab_wire::message_api::v2::{
    LoginFields, ProfileFields, UserFields, read_login, read_profile, read_user,
};
use confab_wire::omnichannel_api::channels::VerifiedUser;

use crate::calls::calls;
use crate::message_api::{addressed, unknown_user};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::RestV2Caller;
use crate::responses::answer::Answer;
use crate::sdk::identity::account;
use crate::sdk::profile::account_with;

calls! {
    "Message API v2";
    /// Register a user or change its profile
    POST "/login_or_register" rest_v2_login_or_register = register [403 404];
    /// Get a user's profile and access token
    GET "/user_profile" rest_v2_user_profile = load [403 404 409];
    /// Replace a user's access token; the old one stops working
    POST "/reset_user_token" rest_v2_reset_user_token = reset_token [403 404];
}

async fn register(
    State(services): State<Services>,
    caller: RestV2Caller,
    body: OmnichannelBody<LoginFields>,
) -> Answer<Results<VerifiedUser<'static>>> {
    let wanted = read_login(body.fields())?;
    let user = actions::register_user(&services, &caller, wanted).await?;
    account(&services, &caller.app, &user).await
}

async fn load(
    State(services): State<Services>,
    caller: RestV2Caller,
    query: RequestQuery<ProfileFields>,
) -> Answer<Results<VerifiedUser<'static>>> {
    let user = read_profile(&query.fields()?)?;
    // No client connects as System.
    if *user.user_id() == App::system_user_id(&caller.app.code) {
        return Err(Refusal::SystemUser(user.address()).into());
    }
    let user = addressed(services.store(), caller.app.id, &user).await?;
    match user.realm {
        Realm::App => account(&services, &caller.app, &user).await,
        // The token of a customer belongs to the customer alone (D-0203).
        Realm::Channel(_) => account_with(&services, &caller.app, &user, "").await,
    }
}

async fn reset_token(
    State(services): State<Services>,
    caller: RestV2Caller,
    body: OmnichannelBody<UserFields>,
) -> Answer<Results<VerifiedUser<'static>>> {
    let user_id = read_user(body.fields())?;
    let rule = ResetToken { user: user_id.clone().into(), token: ids::secret() };
    let token = services.decisions().decide(&caller, rule).await?;
    let found = services.store().user(caller.app.id, &user_id).await?;
    let user = found.ok_or_else(|| unknown_user(&user_id))?;
    account_with(&services, &caller.app, &user, &token).await
}
