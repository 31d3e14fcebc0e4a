//! Rules that register, change and deactivate users (wire facts 3.1).

use std::sync::Arc;

use crate::app::App;
use crate::decision::change::{Change, NewUser, UserChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{AppId, UserKey};
use crate::json_text::JsonText;
use crate::people::user::{Realm, User, UserId, UserRef};
use crate::refusal::Refusal;
use crate::rooms::joining;

/// The fields of a request to register a user, with the password before it is hashed. No `Debug`:
/// it holds a password.
pub struct UserInput {
    /// Name that the app gave the user.
    pub user_id: UserId,
    /// Display name.
    pub username: String,
    /// New password of the user, if one is to be set.
    pub password: Option<String>,
    /// URL of a picture.
    pub avatar_url: Option<String>,
    /// Metadata that the app stores with the user.
    pub extras: Option<JsonText>,
}

/// The profile of a user to be registered or updated. Fields that are `None` keep their value, or
/// are empty for a new user.
#[derive(Clone)]
pub struct Profile {
    pub app: AppId,
    /// The owner of the user id: the app, or a channel.
    pub realm: Realm,
    /// Name that the app gave the user.
    pub user_id: UserId,
    /// Display name.
    pub username: String,
    /// URL of a picture.
    pub avatar_url: Option<String>,
    /// Metadata that the app stores with the user.
    pub extras: Option<JsonText>,
    /// Hash of a new password.
    pub password_hash: Option<String>,
    /// Token for the user's client connections, used only if the user is new.
    pub new_token: String,
}

impl Profile {
    fn user_ref(&self) -> UserRef {
        UserRef::Of(self.realm, self.user_id.clone())
    }
}

/// Registers a user, or updates the profile of an existing one.
pub struct RegisterUser {
    pub profile: Profile,
}

impl Rule for RegisterUser {
    type Outcome = Arc<User>;

    fn question(&self, _: &App) -> Question {
        question(std::slice::from_ref(&self.profile.user_id))
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        login_or_register(facts, &self.profile, context.app.system_user, stamp)
    }
}

/// Registers a user who registers themselves. The outcome is `None` if the user already exists.
pub struct RegisterNewcomer {
    pub profile: Profile,
}

impl Rule for RegisterNewcomer {
    type Outcome = Option<Arc<User>>;

    fn question(&self, _: &App) -> Question {
        question(std::slice::from_ref(&self.profile.user_id))
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        let profile = &self.profile;
        if facts.found_user(&profile.user_ref()).is_some() {
            return Ok(Decision::nothing(None));
        }
        if profile.user_id.is_reserved() {
            return Err(Refusal::SystemUser(profile.user_id.as_str().to_owned()));
        }
        Ok(register(profile, stamp).map(Some))
    }
}

/// Changes of a user's own profile. Fields that are `None` keep their value.
#[derive(Debug, Clone, Default)]
pub struct ProfileEdit {
    /// Display name.
    pub username: Option<String>,
    /// URL of a picture.
    pub avatar_url: Option<String>,
    /// Metadata that the app stores with the user.
    pub extras: Option<JsonText>,
}

/// Changes a user's own profile.
pub struct EditProfile {
    pub user: UserRef,
    pub edit: ProfileEdit,
}

impl Rule for EditProfile {
    type Outcome = Arc<User>;

    fn question(&self, _: &App) -> Question {
        question(std::slice::from_ref(self.user.user_id()))
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        let (before, edit) = (facts.user(&self.user)?, &self.edit);
        let profile = Profile {
            app: before.app,
            realm: before.realm,
            user_id: before.user_id.clone(),
            username: edit.username.clone().unwrap_or_else(|| before.username.clone()),
            avatar_url: edit.avatar_url.clone(),
            extras: edit.extras.clone(),
            password_hash: None,
            new_token: String::new(),
        };
        login_or_register(facts, &profile, context.app.system_user, stamp)
    }
}

/// Deactivates or reactivates users: all of them or none.
pub struct SetActive {
    pub users: Vec<UserId>,
    pub is_active: bool,
}

impl Rule for SetActive {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        question(&self.users)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        let is_active = self.is_active;
        let users: Vec<UserRef> = self.users.iter().cloned().map(UserRef::own).collect();
        let people = joining::people(facts, None, &users, context.app.system_user)?;
        let changed = people.iter().filter(|user| user.is_active != is_active);
        let changes = changed
            .map(|user| {
                let user = User { is_active, updated_at: stamp.now, ..User::clone(user) };
                Change::User(UserChange::Update { user, password_hash: None })
            })
            .collect();
        Ok(Decision::new(changes, ()))
    }
}

/// Returns the facts that rules need to change these users.
pub(crate) fn question(users: &[UserId]) -> Question {
    Question { users: users.to_vec(), locks_users: true, ..Question::default() }
}

/// Registers a user, or updates the profile of an existing one. Fails for deactivated users and the
/// System user.
pub(crate) fn login_or_register(
    facts: &Facts,
    profile: &Profile,
    system_user: UserKey,
    stamp: &Stamp<'_>,
) -> Result<Decision<Arc<User>>, Refusal> {
    let Some(before) = facts.found_user(&profile.user_ref()) else {
        return Ok(register(profile, stamp));
    };
    if before.key == system_user {
        return Err(Refusal::SystemUser(profile.user_id.as_str().to_owned()));
    }
    if !before.is_active {
        return Err(Refusal::UserDeactivated(profile.user_id.as_str().to_owned()));
    }
    let mut after = User::clone(before);
    after.username = profile.username.clone();
    after.avatar_url = profile.avatar_url.clone().unwrap_or(after.avatar_url);
    after.extras = profile.extras.clone().or(after.extras);
    if after == **before && profile.password_hash.is_none() {
        return Ok(Decision::nothing(before.clone()));
    }
    after.updated_at = stamp.now;
    let password_hash = profile.password_hash.clone();
    let changes = vec![Change::User(UserChange::Update { user: after.clone(), password_hash })];
    Ok(Decision::new(changes, Arc::new(after)))
}

fn register(profile: &Profile, stamp: &Stamp<'_>) -> Decision<Arc<User>> {
    let user = User {
        key: UserKey(stamp.next_id()),
        app: profile.app,
        realm: profile.realm,
        user_id: profile.user_id.clone(),
        username: profile.username.clone(),
        avatar_url: profile.avatar_url.clone().unwrap_or_default(),
        extras: profile.extras.clone(),
        is_active: true,
        created_at: stamp.now,
        updated_at: stamp.now,
    };
    let new = NewUser {
        user: user.clone(),
        token: profile.new_token.clone(),
        password_hash: profile.password_hash.clone(),
    };
    Decision::new(vec![Change::User(UserChange::Insert(new))], Arc::new(user))
}
