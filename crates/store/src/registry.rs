//! Apps and dashboard users, for the operator's commands: they work beside running servers.
//!
//! A connection of its own. Nothing it writes is remembered by a running server for longer than
//! `limits::KNOWN_APP_AGE_MS`.

use std::sync::Arc;

use confab_domain::agents::agent::Agent;
use confab_domain::agents::role::Role;
use confab_domain::app::{App, AppCode};
use confab_domain::decision::change::NewUser;
use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::{AgentId, AppId, UserKey};
use confab_domain::people::user::{Realm, User};
use confab_domain::time::Timestamp;

use crate::error::StoreError;
use crate::location::Location;
use crate::secrets::sealer::Sealer;
use crate::{postgres, sqlite};

/// How often an id is made anew when somebody else took it.
const TRIES_MAX: usize = 8;

/// The apps of a server and who works in them.
pub struct Registry {
    engine: Engine,
    stamps: Arc<dyn Stamps>,
}

enum Engine {
    Sqlite(sqlite::registry::Registry),
    Postgres(postgres::registry::Registry),
}

/// An app to be made, with its keys. No `Debug`: they must not reach a log.
pub struct NewApp {
    /// The public name.
    pub code: AppCode,
    /// The name for people.
    pub name: String,
    /// Opens the message API.
    pub sdk_secret: String,
    /// Signs webhooks and opens the omnichannel API.
    pub secret_key: String,
    /// The System user's token.
    pub system_token: String,
}

/// Somebody who shall work in an app. No `Debug`.
pub struct NewAgentAccount {
    /// The sign-in name.
    pub email: String,
    /// The name for people.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// The hash of their password.
    pub password_hash: String,
    /// What the user that speaks for them connects with.
    pub sdk_key: String,
}

/// The ids and the time of an app to be made.
pub(crate) struct NewIds {
    pub(crate) app: AppId,
    pub(crate) system_user: UserKey,
    pub(crate) admin: AgentId,
    pub(crate) now: Timestamp,
}

impl NewIds {
    fn made_by(stamps: &dyn Stamps) -> Self {
        Self {
            app: AppId(stamps.next_id(0)),
            system_user: UserKey(stamps.next_id(0)),
            admin: AgentId(stamps.next_id(0)),
            now: stamps.now(),
        }
    }

    /// The app's System user.
    pub(crate) fn system_user_of(&self, new: &NewApp) -> NewUser {
        let user = User {
            key: self.system_user,
            app: self.app,
            realm: Realm::App,
            user_id: App::system_user_id(&new.code),
            username: "System".to_owned(),
            avatar_url: String::new(),
            extras: None,
            is_active: true,
            created_at: self.now,
            updated_at: self.now,
        };
        NewUser { user, token: new.system_token.clone(), password_hash: None }
    }
}

impl NewIds {
    /// The user that speaks for the app's first dashboard user: both have the same integer.
    pub(crate) fn speaker_of(&self, new: &NewApp, admin: &NewAgentAccount) -> NewUser {
        let user = User {
            key: UserKey(self.admin.0),
            user_id: App::speaker_id(&new.code, self.admin),
            username: admin.name.clone(),
            ..self.system_user_of(new).user
        };
        NewUser { user, token: admin.sdk_key.clone(), password_hash: None }
    }
}

/// What became of a try to make an app.
pub(crate) enum Created {
    Done,
    /// Something of it was there already: nothing was made.
    Conflict,
}

impl Registry {
    /// Opens the registry, bringing the schema up to date first.
    pub async fn open(
        location: &Location,
        stamps: Arc<dyn Stamps>,
        sealer: Arc<Sealer>,
    ) -> Result<Self, StoreError> {
        let engine = match location {
            Location::Folder(path) => {
                Engine::Sqlite(sqlite::registry::Registry::open(path, sealer)?)
            }
            Location::Postgres(endpoint) => {
                Engine::Postgres(postgres::registry::Registry::open(endpoint, sealer).await?)
            }
        };
        Ok(Self { engine, stamps })
    }

    /// All apps, the oldest first.
    pub async fn apps(&self) -> Result<Vec<App>, StoreError> {
        match &self.engine {
            Engine::Sqlite(registry) => registry.apps(),
            Engine::Postgres(registry) => registry.apps().await,
        }
    }

    /// All dashboard users, by e-mail address.
    pub async fn dashboard_users(&self) -> Result<Vec<Agent>, StoreError> {
        match &self.engine {
            Engine::Sqlite(registry) => registry.dashboard_users(),
            Engine::Postgres(registry) => registry.dashboard_users().await,
        }
    }

    /// Makes an app with its System user, and its first dashboard user if one is given. False if
    /// the app's code or the user's e-mail address is taken: then nothing was made.
    pub async fn create_app(
        &mut self,
        new: &NewApp,
        admin: Option<&NewAgentAccount>,
    ) -> Result<bool, StoreError> {
        for _ in 0..TRIES_MAX {
            let ids = NewIds::made_by(&*self.stamps);
            let created = match &mut self.engine {
                Engine::Sqlite(registry) => registry.try_create(new, admin, ids)?,
                Engine::Postgres(registry) => registry.try_create(new, admin, ids).await?,
            };
            match created {
                Created::Done => return Ok(true),
                Created::Conflict if self.is_taken(new, admin).await? => return Ok(false),
                // Another command made the same id in the same millisecond.
                Created::Conflict => {}
            }
        }
        Err(StoreError::while_doing("making an app")("no free id was found"))
    }

    async fn is_taken(
        &self,
        new: &NewApp,
        admin: Option<&NewAgentAccount>,
    ) -> Result<bool, StoreError> {
        let is_code_taken = self.apps().await?.iter().any(|app| app.code == new.code);
        let users = self.dashboard_users().await?;
        let is_email_taken = |admin: &NewAgentAccount| users.iter().any(|u| u.email == admin.email);
        Ok(is_code_taken || admin.is_some_and(is_email_taken))
    }

    /// Gives an app new keys at once, also if its secret key is being changed; false if there is
    /// no such app.
    pub async fn set_keys(
        &self,
        code: &AppCode,
        sdk_secret: &str,
        secret_key: &str,
    ) -> Result<bool, StoreError> {
        match &self.engine {
            Engine::Sqlite(registry) => registry.set_keys(code, sdk_secret, secret_key),
            Engine::Postgres(registry) => registry.set_keys(code, sdk_secret, secret_key).await,
        }
    }

    /// Puts a new secret key beside the current one; false if there is no such app or another
    /// change of its key is under way. An old key past its end makes room.
    pub async fn stage_key(&self, code: &AppCode, new_key: &str) -> Result<bool, StoreError> {
        let now = self.stamps.now();
        match &self.engine {
            Engine::Sqlite(registry) => registry.stage_key(code, new_key, now),
            Engine::Postgres(registry) => registry.stage_key(code, new_key, now).await,
        }
    }

    /// Takes a staged key back; false if none is staged.
    pub async fn unstage_key(&self, code: &AppCode) -> Result<bool, StoreError> {
        match &self.engine {
            Engine::Sqlite(registry) => registry.unstage_key(code),
            Engine::Postgres(registry) => registry.unstage_key(code).await,
        }
    }

    /// Makes the staged key the current one, and the current one the old one until its end; false
    /// if none is staged.
    pub async fn promote_key(&self, code: &AppCode, until: Timestamp) -> Result<bool, StoreError> {
        match &self.engine {
            Engine::Sqlite(registry) => registry.promote_key(code, until),
            Engine::Postgres(registry) => registry.promote_key(code, until).await,
        }
    }

    /// Forgets the old key, also before its end; false if there is none.
    pub async fn retire_key(&self, code: &AppCode) -> Result<bool, StoreError> {
        match &self.engine {
            Engine::Sqlite(registry) => registry.retire_key(code),
            Engine::Postgres(registry) => registry.retire_key(code).await,
        }
    }

    /// Gives a dashboard user a new password and a new key, and ends their sign-ins; false if there
    /// is no such user.
    pub async fn set_password(
        &self,
        email: &str,
        password_hash: &str,
        sdk_key: &str,
    ) -> Result<bool, StoreError> {
        let now = self.stamps.now();
        match &self.engine {
            Engine::Sqlite(registry) => registry.set_password(email, password_hash, sdk_key, now),
            Engine::Postgres(registry) => {
                registry.set_password(email, password_hash, sdk_key, now).await
            }
        }
    }
}
