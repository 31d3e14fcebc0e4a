//! Apps and dashboard users in PostgreSQL, for the operator's commands.

use std::sync::Arc;

use confab_domain::agents::agent::Agent;
use confab_domain::app::{App, AppCode};
use confab_domain::time::Timestamp;
use tokio_postgres::Error;

use super::connection::{Connection, Meaning, Params, meaning, plain};
use super::endpoint::Endpoint;
use super::{migrations, values};
use crate::error::StoreError;
use crate::registry::{Created, NewAgentAccount, NewApp, NewIds};
use crate::secrets::sealer::{Place, Sealer, token_hash};
use crate::sql::{Row, Statement};
use crate::tables::{agents, apps, sign_ins, users};

const SETTINGS: &str = "SET synchronous_commit = on; SET statement_timeout = '10s'";

/// The registry of a database.
pub(crate) struct Registry {
    db: Connection,
    sealer: Arc<Sealer>,
}

impl Registry {
    pub(crate) async fn open(endpoint: &Endpoint, sealer: Arc<Sealer>) -> Result<Self, StoreError> {
        migrations::migrate(endpoint).await?;
        let db = Connection::open(endpoint, SETTINGS).await;
        let db = db.map_err(StoreError::while_doing("connecting to the database"))?;
        Ok(Self { db, sealer })
    }

    pub(crate) async fn apps(&self) -> Result<Vec<App>, StoreError> {
        let rows = self.db.query(apps::APPS.postgres(), &[]).await;
        let rows = rows.map_err(while_doing("listing apps"))?;
        rows.iter().map(|row| apps::row(row, &self.sealer)).collect()
    }

    pub(crate) async fn dashboard_users(&self) -> Result<Vec<Agent>, StoreError> {
        let rows = self.db.query(agents::DASHBOARD_USERS.postgres(), &[]).await;
        let rows = rows.map_err(while_doing("listing dashboard users"))?;
        rows.iter().map(agents::agent).collect()
    }

    pub(crate) async fn try_create(
        &self,
        new: &NewApp,
        admin: Option<&NewAgentAccount>,
        ids: NewIds,
    ) -> Result<Created, StoreError> {
        match self.create(new, admin, ids).await {
            Ok(()) => Ok(Created::Done),
            Err(error) => {
                let is_conflict = meaning(&error) == Meaning::Conflict;
                let ended = self.db.run("ROLLBACK").await;
                ended.map_err(while_doing("making an app"))?;
                if is_conflict {
                    Ok(Created::Conflict)
                } else {
                    Err(while_doing("making an app")(error))
                }
            }
        }
    }

    async fn create(
        &self,
        new: &NewApp,
        admin: Option<&NewAgentAccount>,
        ids: NewIds,
    ) -> Result<(), Error> {
        let NewApp { code, name, sdk_secret, secret_key, .. } = new;
        let code = code.as_str();
        let sdk_secret = self.sealer.seal(Place::AppSecret(code), sdk_secret);
        let secret_key = self.sealer.seal(Place::AppKey(code), secret_key);
        self.db.run("BEGIN").await?;
        let app: Params<'_> =
            &[&ids.app.0, &code, name, &sdk_secret, &secret_key, &ids.system_user.0, &ids.now.0];
        self.db.execute(apps::INSERT_APP.postgres(), app).await?;
        values::execute(&self.db, &users::insert(&ids.system_user_of(new), &self.sealer)).await?;
        if let Some(admin) = admin {
            let NewAgentAccount { email, name, role, password_hash, .. } = admin;
            values::execute(&self.db, &users::insert(&ids.speaker_of(new, admin), &self.sealer))
                .await?;
            let role = role.number();
            let admin: Params<'_> =
                &[&ids.admin.0, &ids.app.0, email, name, &role, password_hash, &ids.now.0];
            self.db.execute(agents::INSERT_DASHBOARD_USER.postgres(), admin).await?;
        }
        self.db.run("COMMIT").await
    }

    pub(crate) async fn set_keys(
        &self,
        code: &AppCode,
        sdk_secret: &str,
        secret_key: &str,
    ) -> Result<bool, StoreError> {
        let code = code.as_str();
        let sdk_secret = self.sealer.seal(Place::AppSecret(code), sdk_secret);
        let secret_key = self.sealer.seal(Place::AppKey(code), secret_key);
        let row: Params<'_> = &[&code, &sdk_secret, &secret_key];
        self.change("setting an app's keys", &apps::SET_APP_KEYS, row).await
    }

    pub(crate) async fn stage_key(
        &self,
        code: &AppCode,
        new_key: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let new_key = self.sealer.seal(Place::AppKey(code.as_str()), new_key);
        let row: Params<'_> = &[&code.as_str(), &new_key, &now.0];
        self.change("staging a key", &apps::STAGE_KEY, row).await
    }

    pub(crate) async fn unstage_key(&self, code: &AppCode) -> Result<bool, StoreError> {
        self.change("taking a key back", &apps::UNSTAGE_KEY, &[&code.as_str()]).await
    }

    pub(crate) async fn promote_key(
        &self,
        code: &AppCode,
        until: Timestamp,
    ) -> Result<bool, StoreError> {
        let row: Params<'_> = &[&code.as_str(), &until.0];
        self.change("promoting a key", &apps::PROMOTE_KEY, row).await
    }

    pub(crate) async fn retire_key(&self, code: &AppCode) -> Result<bool, StoreError> {
        self.change("retiring a key", &apps::RETIRE_KEY, &[&code.as_str()]).await
    }

    pub(crate) async fn set_password(
        &self,
        email: &str,
        password_hash: &str,
        sdk_key: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let doing = "setting a password";
        let row: Params<'_> = &[&email, &password_hash, &now.0];
        let is_set = self.change(doing, &agents::SET_DASHBOARD_PASSWORD, row).await?;
        let known = agents::DASHBOARD_USER_OF_EMAIL.postgres();
        for row in self.db.query(known, &[&email]).await.map_err(while_doing(doing))? {
            let user = row.number(0)?;
            let sealed = self.sealer.seal(Place::UserToken(user), sdk_key);
            let row: Params<'_> = &[&user, &token_hash(sdk_key), &sealed];
            self.change(doing, &users::SET_TOKEN, row).await?;
        }
        // After the password: who signs in between does so with the new one, and only once more.
        // They stay as ended ones: a server that runs finds them and cuts off who is connected.
        self.change(doing, &sign_ins::END_SIGN_INS_OF_EMAIL, &[&email]).await?;
        Ok(is_set)
    }

    async fn change(
        &self,
        doing: &'static str,
        statement: &Statement,
        row: Params<'_>,
    ) -> Result<bool, StoreError> {
        let changed = self.db.execute(statement.postgres(), row).await;
        changed.map(|rows| rows > 0).map_err(while_doing(doing))
    }
}

fn while_doing(doing: &'static str) -> impl FnOnce(Error) -> StoreError {
    move |error| StoreError::while_doing(doing)(plain(&error))
}
