//! Who speaks when a bot answers.

use std::sync::Arc;

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::role::Role;
use confab_domain::app::App;
use confab_domain::ids::RoomId;
use confab_domain::people::registering::UserInput;
use confab_domain::people::user::{UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_store::WriteError;

use crate::actions::register_user::RegisterError;
use crate::services::Services;

/// The user that a bot speaks as, always one of the app's own: the one it names, or the app's own
/// bot (wire facts 5.3), which also speaks for who names an admin of the app by their sign-in
/// address (D-0056).
pub(crate) async fn bot_user(
    services: &Services,
    app: &Arc<App>,
    room: RoomId,
    named: UserId,
) -> Result<UserRef, RegisterError> {
    // That nobody speaks as the customer is for the rule to say.
    if is_there(services, app, &named).await? || is_customer(services, app, room, &named).await? {
        return Ok(UserRef::own(named));
    }
    let admin = format!("{}_admin@", app.code.as_str());
    if !named.as_str().starts_with(&admin) && !is_admin(services, app, &named).await? {
        let unknown = Refusal::UsersNotFound(vec![named.as_str().to_owned()]);
        return Err(WriteError::Refused(unknown).into());
    }
    let bot = UserId::from_stored(format!("{admin}bot"));
    if !is_there(services, app, &bot).await? {
        let wanted = UserInput {
            user_id: bot.clone(),
            username: "Bot".to_owned(),
            password: None,
            avatar_url: None,
            extras: None,
        };
        super::register_user(services, app, wanted).await?;
    }
    Ok(UserRef::own(bot))
}

async fn is_customer(
    services: &Services,
    app: &App,
    room: RoomId,
    named: &UserId,
) -> Result<bool, WriteError> {
    let found = services.store().customer_room(app.id, room).await.map_err(WriteError::Failed)?;
    Ok(found.is_some_and(|room| room.customer == *named))
}

async fn is_admin(services: &Services, app: &App, named: &UserId) -> Result<bool, WriteError> {
    let Ok(address) = EmailAddress::parse("sender_email", named.as_str()) else { return Ok(false) };
    let found = services.store().agent_by_email(address.as_str()).await;
    let found = found.map_err(WriteError::Failed)?.map(|(agent, _)| agent.profile.user);
    Ok(found.is_some_and(|user| user.app == app.id && user.role == Role::Admin))
}

async fn is_there(services: &Services, app: &App, user: &UserId) -> Result<bool, WriteError> {
    Ok(services.store().user(app.id, user).await.map_err(WriteError::Failed)?.is_some())
}
