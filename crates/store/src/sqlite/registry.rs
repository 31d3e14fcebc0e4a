//! Apps and dashboard users in the embedded store, for the operator's commands.

use std::path::Path;
use std::sync::Arc;

use confab_domain::agents::agent::Agent;
use confab_domain::app::{App, AppCode};
use confab_domain::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Params, Result, params};

use super::{folder, migrations, values};
use crate::error::StoreError;
use crate::registry::{Created, NewAgentAccount, NewApp, NewIds};
use crate::secrets::sealer::{Place, Sealer, token_hash};
use crate::sql::Statement;
use crate::tables::{agents, apps, sign_ins, users};

/// The registry of a data folder.
pub(crate) struct Registry {
    db: Connection,
    sealer: Arc<Sealer>,
}

impl Registry {
    pub(crate) fn open(
        data_folder: &Path,
        sealer: Arc<Sealer>,
    ) -> std::result::Result<Self, StoreError> {
        folder::prepare(data_folder)?;
        let db = migrations::open_up_to_date(&folder::database(data_folder))?;
        Ok(Self { db, sealer })
    }

    pub(crate) fn apps(&self) -> std::result::Result<Vec<App>, StoreError> {
        let read = || -> Result<Vec<App>> {
            let app = |row: &rusqlite::Row<'_>| apps::row(row, &self.sealer);
            self.db.prepare(apps::APPS.sqlite())?.query_map([], app)?.collect()
        };
        read().map_err(StoreError::while_doing("listing apps"))
    }

    pub(crate) fn dashboard_users(&self) -> std::result::Result<Vec<Agent>, StoreError> {
        let read = || -> Result<Vec<Agent>> {
            let mut statement = self.db.prepare(agents::DASHBOARD_USERS.sqlite())?;
            statement.query_map([], |row| agents::agent(row))?.collect()
        };
        read().map_err(StoreError::while_doing("listing dashboard users"))
    }

    pub(crate) fn try_create(
        &mut self,
        new: &NewApp,
        admin: Option<&NewAgentAccount>,
        ids: NewIds,
    ) -> std::result::Result<Created, StoreError> {
        match self.create(new, admin, ids) {
            Ok(()) => Ok(Created::Done),
            Err(rusqlite::Error::SqliteFailure(failure, _))
                if failure.code == rusqlite::ErrorCode::ConstraintViolation =>
            {
                Ok(Created::Conflict)
            }
            Err(error) => Err(StoreError::while_doing("making an app")(error)),
        }
    }

    fn create(&mut self, new: &NewApp, admin: Option<&NewAgentAccount>, ids: NewIds) -> Result<()> {
        let NewApp { code, name, sdk_secret, secret_key, .. } = new;
        let (app, now) = (ids.app.0, ids.now.0);
        let sdk_secret = self.sealer.seal(Place::AppSecret(code.as_str()), sdk_secret);
        let secret_key = self.sealer.seal(Place::AppKey(code.as_str()), secret_key);
        let tx = self.db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        tx.execute(
            apps::INSERT_APP.sqlite(),
            params![app, code.as_str(), name, sdk_secret, secret_key, ids.system_user.0, now],
        )?;
        values::execute(&tx, &users::insert(&ids.system_user_of(new), &self.sealer))?;
        if let Some(admin) = admin {
            let NewAgentAccount { email, name, role, password_hash, .. } = admin;
            values::execute(&tx, &users::insert(&ids.speaker_of(new, admin), &self.sealer))?;
            let row = params![ids.admin.0, app, email, name, role.number(), password_hash, now];
            tx.execute(agents::INSERT_DASHBOARD_USER.sqlite(), row)?;
        }
        tx.commit()
    }

    pub(crate) fn set_keys(
        &self,
        code: &AppCode,
        sdk_secret: &str,
        secret_key: &str,
    ) -> std::result::Result<bool, StoreError> {
        let sdk_secret = self.sealer.seal(Place::AppSecret(code.as_str()), sdk_secret);
        let secret_key = self.sealer.seal(Place::AppKey(code.as_str()), secret_key);
        let row = params![code.as_str(), sdk_secret, secret_key];
        self.change("setting an app's keys", &apps::SET_APP_KEYS, row)
    }

    pub(crate) fn stage_key(
        &self,
        code: &AppCode,
        new_key: &str,
        now: Timestamp,
    ) -> std::result::Result<bool, StoreError> {
        let new_key = self.sealer.seal(Place::AppKey(code.as_str()), new_key);
        let row = params![code.as_str(), new_key, now.0];
        self.change("staging a key", &apps::STAGE_KEY, row)
    }

    pub(crate) fn unstage_key(&self, code: &AppCode) -> std::result::Result<bool, StoreError> {
        self.change("taking a key back", &apps::UNSTAGE_KEY, params![code.as_str()])
    }

    pub(crate) fn promote_key(
        &self,
        code: &AppCode,
        until: Timestamp,
    ) -> std::result::Result<bool, StoreError> {
        self.change("promoting a key", &apps::PROMOTE_KEY, params![code.as_str(), until.0])
    }

    pub(crate) fn retire_key(&self, code: &AppCode) -> std::result::Result<bool, StoreError> {
        self.change("retiring a key", &apps::RETIRE_KEY, params![code.as_str()])
    }

    pub(crate) fn set_password(
        &self,
        email: &str,
        password_hash: &str,
        sdk_key: &str,
        now: Timestamp,
    ) -> std::result::Result<bool, StoreError> {
        let doing = "setting a password";
        let row = params![email, password_hash, now.0];
        let is_set = self.change(doing, &agents::SET_DASHBOARD_PASSWORD, row)?;
        let known = agents::DASHBOARD_USER_OF_EMAIL.sqlite();
        let found = self.db.query_row(known, [email], |row| row.get::<_, i64>(0)).optional();
        if let Some(user) = found.map_err(StoreError::while_doing(doing))? {
            let sealed = self.sealer.seal(Place::UserToken(user), sdk_key);
            self.change(doing, &users::SET_TOKEN, params![user, token_hash(sdk_key), sealed])?;
        }
        // After the password: who signs in between does so with the new one, and only once more.
        // They stay as ended ones: a server that runs finds them and cuts off who is connected.
        self.change(doing, &sign_ins::END_SIGN_INS_OF_EMAIL, params![email])?;
        Ok(is_set)
    }

    fn change(
        &self,
        doing: &'static str,
        statement: &Statement,
        row: impl Params,
    ) -> std::result::Result<bool, StoreError> {
        let changed = self.db.execute(statement.sqlite(), row);
        changed.map(|rows| rows > 0).map_err(StoreError::while_doing(doing))
    }
}
