//! Apps and dashboard users, for the operator's commands: they work beside a running server.
//!
//! A connection of its own. Nothing it writes is remembered by a running server for longer than
//! `limits::KNOWN_APP_AGE_MS`.

use std::path::Path;
use std::sync::Arc;

use confab_domain::app::{App, AppCode, DashboardUser, Role};
use confab_domain::decision::{NewUser, Stamps};
use confab_domain::ids::{AppId, UserKey};
use confab_domain::people::User;
use rusqlite::{Connection, Result, params};

use super::{changes, folder, migrations, rows};
use crate::error::StoreError;
use crate::statements as sql;

/// How often an id is made anew when somebody else took it.
const TRIES_MAX: usize = 8;

/// The apps of a server and who works in them.
pub struct Registry {
    db: Connection,
    stamps: Arc<dyn Stamps>,
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
pub struct NewDashboardUser {
    /// The sign-in name.
    pub email: String,
    /// The name for people.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// The hash of their password.
    pub password_hash: String,
}

impl Registry {
    /// Opens the registry of a data folder, bringing its schema up to date first.
    pub fn open(
        data_folder: &Path,
        stamps: Arc<dyn Stamps>,
    ) -> std::result::Result<Self, StoreError> {
        folder::prepare(data_folder)?;
        let db = migrations::open_up_to_date(&folder::database(data_folder))?;
        Ok(Self { db, stamps })
    }

    /// All apps, the oldest first.
    pub fn apps(&self) -> std::result::Result<Vec<App>, StoreError> {
        let read = || -> Result<Vec<App>> {
            self.db.prepare(sql::APPS.sqlite())?.query_map([], rows::app)?.collect()
        };
        read().map_err(StoreError::while_doing("listing apps"))
    }

    /// All dashboard users, by e-mail address.
    pub fn dashboard_users(&self) -> std::result::Result<Vec<DashboardUser>, StoreError> {
        let read = || -> Result<Vec<DashboardUser>> {
            let mut statement = self.db.prepare(sql::DASHBOARD_USERS.sqlite())?;
            statement.query_map([], rows::dashboard_user)?.collect()
        };
        read().map_err(StoreError::while_doing("listing dashboard users"))
    }

    /// Makes an app with its System user, and its first dashboard user if one is given. False if
    /// the app's code or the user's e-mail address is taken: then nothing was made.
    pub fn create_app(
        &mut self,
        new: &NewApp,
        admin: Option<&NewDashboardUser>,
    ) -> std::result::Result<bool, StoreError> {
        for _ in 0..TRIES_MAX {
            match self.try_create(new, admin) {
                Ok(()) => return Ok(true),
                Err(rusqlite::Error::SqliteFailure(failure, _))
                    if failure.code == rusqlite::ErrorCode::ConstraintViolation =>
                {
                    if self.is_taken(new, admin)? {
                        return Ok(false);
                    }
                    // Another command made the same id in the same millisecond.
                }
                Err(error) => return Err(StoreError::while_doing("making an app")(error)),
            }
        }
        Err(StoreError::while_doing("making an app")("no free id was found"))
    }

    fn is_taken(
        &self,
        new: &NewApp,
        admin: Option<&NewDashboardUser>,
    ) -> std::result::Result<bool, StoreError> {
        let is_code_taken = self.apps()?.iter().any(|app| app.code == new.code);
        let users = self.dashboard_users()?;
        let is_email_taken =
            |admin: &NewDashboardUser| users.iter().any(|u| u.email == admin.email);
        Ok(is_code_taken || admin.is_some_and(is_email_taken))
    }

    fn try_create(&mut self, new: &NewApp, admin: Option<&NewDashboardUser>) -> Result<()> {
        let now = self.stamps.now();
        let (app, system_user) = (self.stamps.next_id(0), self.stamps.next_id(0));
        let tx = self.db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        tx.execute(
            sql::INSERT_APP.sqlite(),
            params![
                app,
                new.code.as_str(),
                new.name,
                new.sdk_secret,
                new.secret_key,
                system_user,
                now.0
            ],
        )?;
        let user = User {
            key: UserKey(system_user),
            app: AppId(app),
            user_id: App::system_user_id(&new.code),
            username: "System".to_owned(),
            avatar_url: String::new(),
            extras: None,
            is_active: true,
            created_at: now,
            updated_at: now,
        };
        let token = new.system_token.clone();
        changes::insert_user(&tx, &NewUser { user, token, password_hash: None })?;
        if let Some(admin) = admin {
            let NewDashboardUser { email, name, role, password_hash } = admin;
            let id = self.stamps.next_id(0);
            let row = params![id, app, email, name, role.number(), password_hash, now.0];
            tx.execute(sql::INSERT_DASHBOARD_USER.sqlite(), row)?;
        }
        tx.commit()
    }

    /// Gives an app new keys; false if there is no such app.
    pub fn set_keys(
        &self,
        code: &AppCode,
        sdk_secret: &str,
        secret_key: &str,
    ) -> std::result::Result<bool, StoreError> {
        let row = params![code.as_str(), sdk_secret, secret_key];
        let changed = self.db.execute(sql::SET_APP_KEYS.sqlite(), row);
        changed.map(|rows| rows > 0).map_err(StoreError::while_doing("setting an app's keys"))
    }

    /// Gives a dashboard user a new password; false if there is no such user.
    pub fn set_password(
        &self,
        email: &str,
        password_hash: &str,
    ) -> std::result::Result<bool, StoreError> {
        let row = params![email, password_hash, self.stamps.now().0];
        let changed = self.db.execute(sql::SET_DASHBOARD_PASSWORD.sqlite(), row);
        changed.map(|rows| rows > 0).map_err(StoreError::while_doing("setting a password"))
    }
}
