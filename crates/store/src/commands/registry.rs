//! Creates and changes apps and agents for the operator's commands, while servers run.
//!
//! It has a separate connection. Running servers use its changes within `limits::KNOWN_APP_AGE_MS`.

use std::sync::Arc;

use confab_domain::agents::agent::Agent;
use confab_domain::agents::role::Role;
use confab_domain::app::{App, AppCode};
use confab_domain::audit::deed::AuditAction;
use confab_domain::audit::differences::Differences;
use confab_domain::audit::entry::{AuditEntry, AuditTarget};
use confab_domain::decision::change::NewUser;
use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::{AgentId, AppId, AuditId, UserKey};
use confab_domain::key_step::KeyStep;
use confab_domain::people::user::{Realm, User};
use confab_domain::time::Timestamp;

use super::command_database::CommandDatabase;
use crate::error::{CommandFailure, StoreError};
use crate::location::Location;
use crate::secrets::sealer::{Sealer, SecretLocation};
use crate::sql::{Ask, SqlValue, Statement, values};
use crate::tables::{agents, apps, audit, sign_in_codes, sign_ins, users};

/// Maximum number of attempts to create an app, with new ids after each conflict.
const TRIES_MAX: usize = 8;

/// The apps of an installation and their agents, with a database connection of its own.
pub struct Registry {
    database: CommandDatabase,
    sealer: Arc<Sealer>,
    stamps: Arc<dyn Stamps>,
}

/// A new app with its keys. No `Debug`: the keys must not be logged.
pub struct NewApp {
    /// Public name of the app.
    pub code: AppCode,
    /// Display name.
    pub name: String,
    /// Secret for the message API.
    pub sdk_secret: String,
    /// Key that signs webhooks and authenticates calls of the omnichannel API.
    pub secret_key: String,
    /// Access token of the app's System user.
    pub system_token: String,
}

/// A new agent. No `Debug`, because of its secrets.
pub struct NewAgentAccount {
    /// E-mail address for signing in.
    pub email: String,
    /// Display name.
    pub name: String,
    /// Role of the agent.
    pub role: Role,
    /// Hash of the agent's password.
    pub password_hash: String,
    /// Access token of the user that posts for the agent.
    pub sdk_key: String,
}

/// Ids and creation time of a new app.
struct NewIds {
    app: AppId,
    system_user: UserKey,
    admin: AgentId,
    now: Timestamp,
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

    /// Returns the app's System user, to be created with the app.
    fn system_user_of(&self, new: &NewApp) -> NewUser {
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

    /// Returns the user that posts on behalf of the app's first agent. Both have the same integer
    /// id.
    fn speaker_of(&self, new: &NewApp, admin: &NewAgentAccount) -> NewUser {
        let user = User {
            key: UserKey(self.admin.0),
            user_id: App::speaker_id(&new.code, self.admin),
            username: admin.name.clone(),
            ..self.system_user_of(new).user
        };
        NewUser { user, token: admin.sdk_key.clone(), password_hash: None }
    }
}

impl Registry {
    /// Opens the registry and migrates the schema.
    pub async fn open(
        location: &Location,
        stamps: Arc<dyn Stamps>,
        sealer: Arc<Sealer>,
    ) -> Result<Self, StoreError> {
        let database = CommandDatabase::open(location).await?;
        Ok(Self { database, sealer, stamps })
    }

    /// Returns all apps, oldest first.
    pub async fn apps(&self) -> Result<Vec<App>, StoreError> {
        let rows = self.database.query("listing apps", &apps::APPS, values![]).await?;
        rows.iter().map(|row| apps::row(row, &self.sealer)).collect()
    }

    /// Returns all agents, by e-mail address.
    pub async fn dashboard_users(&self) -> Result<Vec<Agent>, StoreError> {
        let doing = "listing dashboard users";
        let rows = self.database.query(doing, &agents::DASHBOARD_USERS, values![]).await?;
        rows.iter().map(agents::agent).collect()
    }

    /// Creates an app with its System user and, optionally, its first agent. Returns false, without
    /// creating anything, if the app's code or the agent's e-mail address is taken.
    pub async fn create_app(
        &mut self,
        new: &NewApp,
        admin: Option<&NewAgentAccount>,
    ) -> Result<bool, StoreError> {
        let doing = "creating an app";
        for _ in 0..TRIES_MAX {
            let asks = self.created(new, admin, &NewIds::made_by(&*self.stamps));
            match self.database.write(doing, &asks).await {
                Ok(_) => return Ok(true),
                Err(CommandFailure::Failed(error) | CommandFailure::Locked(error)) => {
                    return Err(error);
                }
                Err(CommandFailure::Conflict(_)) if self.is_taken(new, admin).await? => {
                    return Ok(false);
                }
                // Another command created the same id in the same millisecond.
                Err(CommandFailure::Conflict(_)) => {}
            }
        }
        Err(StoreError::while_doing(doing)("found no unused id"))
    }

    fn created(&self, new: &NewApp, admin: Option<&NewAgentAccount>, ids: &NewIds) -> Vec<Ask> {
        let NewApp { code, name, sdk_secret, secret_key, .. } = new;
        let sdk_secret = self.sealer.seal(SecretLocation::AppSecret(code.as_str()), sdk_secret);
        let secret_key = self.sealer.seal(SecretLocation::AppKey(code.as_str()), secret_key);
        let system_user = ids.system_user.0;
        let app =
            values![ids.app.0, code.as_str(), name, sdk_secret, secret_key, system_user, ids.now];
        let mut asks = vec![
            Ask::new(&apps::INSERT_APP, app),
            users::insert(&ids.system_user_of(new), &self.sealer),
        ];
        if let Some(admin) = admin {
            let NewAgentAccount { email, name, role, password_hash, .. } = admin;
            asks.push(users::insert(&ids.speaker_of(new, admin), &self.sealer));
            let (id, app, role) = (ids.admin.0, ids.app.0, role.number());
            let admin = values![id, app, email, name, role, password_hash, ids.now];
            asks.push(Ask::new(&agents::INSERT_DASHBOARD_USER, admin));
        }
        asks
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

    /// Replaces an app's keys immediately, even during a change of its secret key. Returns false if
    /// there is no such app.
    pub async fn set_keys(
        &self,
        code: &AppCode,
        sdk_secret: &str,
        secret_key: &str,
    ) -> Result<bool, StoreError> {
        let (sdk_secret, secret_key) = (sdk_secret.to_owned(), secret_key.to_owned());
        self.take_step(code, &KeyStep::Rotate { sdk_secret, secret_key }).await
    }

    /// Stages a new secret key. Returns false if there is no such app or another key change is in
    /// progress. An expired old key does not prevent it.
    pub async fn stage_key(&self, code: &AppCode, new_key: &str) -> Result<bool, StoreError> {
        self.take_step(code, &KeyStep::Stage { new_key: new_key.to_owned() }).await
    }

    /// Discards a staged key. Returns false if none is staged.
    pub async fn unstage_key(&self, code: &AppCode) -> Result<bool, StoreError> {
        self.take_step(code, &KeyStep::Unstage).await
    }

    /// Makes the staged key the current one; the replaced key remains valid until `until`. Returns
    /// false if no key is staged.
    pub async fn promote_key(&self, code: &AppCode, until: Timestamp) -> Result<bool, StoreError> {
        self.take_step(code, &KeyStep::Promote { until }).await
    }

    /// Deletes the key that was replaced, even before it expires. Returns false if there is none.
    pub async fn retire_key(&self, code: &AppCode) -> Result<bool, StoreError> {
        self.take_step(code, &KeyStep::Retire).await
    }

    /// Applies a step of a key change under the same rules as the API calls of admins, and writes
    /// it to the audit log. Returns false if the step is not allowed or there is no such app.
    async fn take_step(&self, code: &AppCode, step: &KeyStep) -> Result<bool, StoreError> {
        let Some(app) = self.apps().await?.into_iter().find(|app| app.code == *code) else {
            return Ok(false);
        };
        let now = self.stamps.now();
        let mut asks = vec![apps::key_step(code, step, now, &self.sealer)];
        let entry = step.entry_of_command(AuditId(self.stamps.next_id(0)), now);
        asks.extend(audit::add(app.id, &entry));
        let written = self.database.write_if_found("changing an app's keys", &asks).await;
        written.map(|rows| rows > 0).map_err(CommandFailure::error)
    }

    /// Sets an agent's password and access token, and ends their sign-ins. Returns false if there
    /// is no such agent.
    pub async fn set_password(
        &self,
        email: &str,
        password_hash: &str,
        sdk_key: &str,
    ) -> Result<bool, StoreError> {
        let doing = "setting a password";
        let Some(user) = self.dashboard_user(doing, email).await? else { return Ok(false) };
        let row = values![email, password_hash, self.stamps.now()];
        let mut asks = vec![
            Ask::new(&agents::SET_DASHBOARD_PASSWORD, row),
            users::set_token(UserKey(user.id.0), sdk_key, &self.sealer),
        ];
        let changed = Differences::default().secret("password", true);
        asks.extend(self.audited(&user, AuditAction::AgentChanged, changed));
        self.database.write(doing, &asks).await.map_err(CommandFailure::error)?;
        // End sign-ins after setting the password: later ones use the new password. Their rows
        // remain, so that running servers find them and disconnect the clients.
        self.change(doing, &sign_ins::END_SIGN_INS_OF_EMAIL, values![email]).await?;
        self.change(doing, &sign_in_codes::END_SIGN_IN_CODES_OF_EMAIL, values![email]).await?;
        Ok(true)
    }

    /// Adds a one-time sign-in code with this hash and expiry. Returns false if there is no such
    /// agent.
    pub async fn add_sign_in_code(
        &self,
        email: &str,
        hash: &str,
        until: Timestamp,
    ) -> Result<bool, StoreError> {
        let doing = "creating a sign-in code";
        let Some(user) = self.dashboard_user(doing, email).await? else { return Ok(false) };
        let mut asks = vec![
            Ask::new(&sign_in_codes::FORGET_SIGN_IN_CODES, values![self.stamps.now()]),
            Ask::new(&sign_in_codes::ADD_SIGN_IN_CODE, values![email, hash, until]),
        ];
        asks.extend(self.audited(&user, AuditAction::AgentLinkMade, Differences::default()));
        self.database.write(doing, &asks).await.map_err(CommandFailure::error)?;
        Ok(true)
    }

    async fn dashboard_user(
        &self,
        doing: &'static str,
        email: &str,
    ) -> Result<Option<Agent>, StoreError> {
        let known = &agents::DASHBOARD_USER_OF_EMAIL;
        let rows = self.database.query(doing, known, values![email]).await?;
        rows.first().map(agents::agent).transpose()
    }

    /// Returns the statements that write an audit entry about an agent.
    fn audited(&self, user: &Agent, deed: AuditAction, differences: Differences) -> Vec<Ask> {
        let made = (AuditId(self.stamps.next_id(0)), self.stamps.now());
        let entry = AuditEntry::by_command_line(made, deed, AuditTarget::agent(user), differences);
        audit::add(user.app, &entry)
    }

    /// Runs a statement that writes. Returns whether it affected a row.
    async fn change(
        &self,
        doing: &'static str,
        statement: &'static Statement,
        values: Vec<SqlValue>,
    ) -> Result<bool, StoreError> {
        let rows = self.database.write(doing, &[Ask::new(statement, values)]).await;
        rows.map(|rows| rows > 0).map_err(CommandFailure::error)
    }
}
