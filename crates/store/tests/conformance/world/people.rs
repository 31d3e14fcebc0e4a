//! Users: registration, changes, deactivation.

use std::sync::Arc;

use confab_domain::decision::change::{Change, NewUser, UserChange};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::UserKey;
use confab_domain::people::registering::{Profile, RegisterUser, SetActive};
use confab_domain::people::resetting_tokens::ResetToken;
use confab_domain::people::user::{Realm, User};
use confab_store::WriteError;

use super::{World, failure, user_id, user_ids};

impl World {
    /// Registers users whose name is their id.
    pub async fn register(&self, users: &[&str]) {
        for user in users {
            self.login(self.profile(user, user)).await.expect("registered");
        }
    }

    /// Returns a profile with only a name.
    pub fn profile(&self, user: &str, username: &str) -> Profile {
        Profile {
            app: self.app,
            realm: Realm::App,
            user_id: user_id(user),
            username: username.to_owned(),
            avatar_url: None,
            extras: None,
            password_hash: None,
            new_token: format!("token of {user} of {}", self.code.as_str()),
        }
    }

    /// Registers a user or updates their profile.
    pub async fn login(&self, profile: Profile) -> Result<Arc<User>, WriteError> {
        self.decide(RegisterUser { profile }).await
    }

    pub async fn rename(&self, user: &str, username: &str) {
        self.login(self.profile(user, username)).await.expect("renamed");
    }

    pub async fn set_active(&self, users: &[&str], is_active: bool) -> Result<(), WriteError> {
        self.decide(SetActive { users: user_ids(users), is_active }).await
    }

    pub async fn reset_token(&self, user: &str, token: &str) -> Result<(), WriteError> {
        let (user, token) = (user_id(user).into(), token.to_owned());
        self.decide(ResetToken { user, token }).await.map(drop)
    }

    /// Inserts a user without checking whether it exists, as a defect might.
    pub async fn insert_user_blindly(&self, user: &str) -> Result<(), WriteError> {
        let profile = self.profile(user, "again");
        let rule = move |_: &Facts, stamp: &Stamp<'_>| {
            let changes = vec![Change::User(UserChange::Insert(blindly(&profile, stamp)))];
            Ok(Decision::new(changes, ()))
        };
        self.store.decide(self.app, Question::default(), rule).await
    }

    /// Makes an engine with delayed writes perform them with its next commit, by causing a
    /// rollback: places that were being written may not be on disk. Needs a user `ana`.
    pub async fn write_behind_next(&self) {
        failure(self.insert_user_blindly("ana").await);
    }
}

/// Returns a user that no rule has checked.
pub fn blindly(profile: &Profile, stamp: &Stamp<'_>) -> NewUser {
    let key = UserKey(stamp.next_id());
    let user = User {
        key,
        app: profile.app,
        realm: profile.realm,
        user_id: profile.user_id.clone(),
        username: profile.username.clone(),
        avatar_url: String::new(),
        extras: None,
        is_active: true,
        created_at: stamp.now,
        updated_at: stamp.now,
    };
    NewUser { user, token: format!("token {key}"), password_hash: None }
}
