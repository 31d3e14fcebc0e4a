//! The user that posts a bot's messages.

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::role::Role;
use confab_domain::app::App;
use confab_domain::decision::principal::Principal;
use confab_domain::ids::RoomId;
use confab_domain::people::registering::UserInput;
use confab_domain::people::user::{UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_store::{Store, WriteError};

use crate::actions::accounts::register_user::{RegisterError, register_user};
use crate::services::Services;

/// Returns the user that posts a bot's messages, always one of the app's own users: the named user
/// if it exists, or the app's bot user (wire facts 5.3). The bot user, created on first use, also
/// posts if the bot names an admin of the app by their sign-in address (D-0056).
pub async fn bot_user(
    services: &Services,
    by: &Principal,
    room: RoomId,
    named: UserId,
) -> Result<UserRef, RegisterError> {
    let app = &by.app;
    // The rule rejects messages of a bot in the customer's name.
    if is_there(services.store(), app, &named).await?
        || is_customer(services.store(), app, room, &named).await?
    {
        return Ok(UserRef::own(named));
    }
    let admin = format!("{}_admin@", app.code.as_str());
    if !named.as_str().starts_with(&admin) && !is_admin(services.store(), app, &named).await? {
        let unknown = Refusal::UsersNotFound(vec![named.as_str().to_owned()]);
        return Err(WriteError::Refused(unknown).into());
    }
    let bot = UserId::from_stored(format!("{admin}bot"));
    if !is_there(services.store(), app, &bot).await? {
        let wanted = UserInput {
            user_id: bot.clone(),
            username: "Bot".to_owned(),
            password: None,
            avatar_url: None,
            extras: None,
        };
        register_user(services, by, wanted).await?;
    }
    Ok(UserRef::own(bot))
}

async fn is_customer(
    store: &Store,
    app: &App,
    room: RoomId,
    named: &UserId,
) -> Result<bool, WriteError> {
    let found = store.customer_room(app.id, room).await.map_err(WriteError::Failed)?;
    Ok(found.is_some_and(|room| room.customer == *named))
}

async fn is_admin(store: &Store, app: &App, named: &UserId) -> Result<bool, WriteError> {
    let Ok(address) = EmailAddress::parse("sender_email", named.as_str()) else { return Ok(false) };
    let found = store.agent_by_email(address.as_str()).await;
    let found = found.map_err(WriteError::Failed)?.map(|(agent, _)| agent.profile.user);
    Ok(found.is_some_and(|user| user.app == app.id && user.role == Role::Admin))
}

async fn is_there(store: &Store, app: &App, user: &UserId) -> Result<bool, WriteError> {
    Ok(store.user(app.id, user).await.map_err(WriteError::Failed)?.is_some())
}
