//! The caller's profile (wire facts 4.1).

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::people::registering::EditProfile;
use confab_domain::people::user::User;
use confab_wire::message_api::Results;
use confab_wire::omnichannel_api::channels::{VerifiedUser, verified_user};
use confab_wire::sdk_api::people::{ProfileFields, read_profile};

use crate::calls::calls;
use crate::requests::bodies::RequestBody;
use crate::requests::callers::ClientCaller;
use crate::responses::answer::{Answer, ok};

calls! {
    "Clients";
    /// Get the caller's profile
    GET "/my_profile" sdk_my_profile = load;
    /// Change the name, picture or extras of the caller
    PATCH "/my_profile" sdk_update_my_profile = change [403];
}

async fn load(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
) -> Answer<Results<VerifiedUser<'static>>> {
    account_with(&services, &caller.app, &caller.user, &caller.token).await
}

async fn change(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody<ProfileFields>,
) -> Answer<Results<VerifiedUser<'static>>> {
    let edit = read_profile(&body.fields()?)?;
    let user = caller.user.itself();
    let user = services.decisions().decide(&caller, EditProfile { user, edit }).await?;
    account_with(&services, &caller.app, &user, &caller.token).await
}

/// Answers with a user's account and the given access token.
pub(crate) async fn account_with(
    services: &Services,
    app: &App,
    user: &User,
    token: &str,
) -> Answer<Results<VerifiedUser<'static>>> {
    let newest = services.store().newest_of_user(user.key).await?;
    let pushes_to_ios = services.config().apns.is_some();
    ok(verified_user(app, user, token, newest, pushes_to_ios))
}
