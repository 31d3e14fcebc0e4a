//! Apps and their keys.

use confab_domain::app::{App, AppCode, OtherKey};
use confab_domain::decision::change::AppChange;
use confab_domain::ids::{AppId, UserKey};
use confab_domain::key_step::KeyStep;
use confab_domain::time::Timestamp;

use crate::error::Read;
use crate::secrets::sealer::{Sealer, SecretLocation};
use crate::sql::{Ask, Row, columns, prepared, statements, values};
use crate::store::Store;

macro_rules! app_columns {
    ($a:literal) => {
        concat!(
            columns!($a; "id", "code", "name", "sdk_secret", "secret_key", "\"system_user\"",
                "created_at", "other_key", "other_key_until"),
            ", (SELECT count(*) FROM endpoints e WHERE e.app = apps.id \
                AND e.kind = 'chat_message' AND e.is_enabled = 1), \
              (SELECT count(*) FROM settings s WHERE s.app = apps.id \
                AND s.name = 'shows_sender_extras' AND s.value = 'true')"
        )
    };
}

// Facts and writes of rules and commands.
prepared! {
    APP_BY_ID = concat!("SELECT ", app_columns!(""), " FROM apps WHERE id = $1");
    RENAME_APP = "UPDATE apps SET name = $2 WHERE id = $1";
    SET_APP_KEYS = "UPDATE apps SET sdk_secret = $2, secret_key = $3, other_key = NULL, \
        other_key_until = NULL WHERE code = $1";
    // Steps of a change of the secret key. Each finds its row only if the step is allowed, so that
    // two concurrent operators cannot overwrite each other's key. A staged key has no end.
    STAGE_KEY = "UPDATE apps SET other_key = $2, other_key_until = NULL \
        WHERE code = $1 AND (other_key IS NULL OR other_key_until <= $3)";
    UNSTAGE_KEY = "UPDATE apps SET other_key = NULL \
        WHERE code = $1 AND other_key IS NOT NULL AND other_key_until IS NULL";
    PROMOTE_KEY = "UPDATE apps SET secret_key = other_key, other_key = secret_key, \
        other_key_until = $2 \
        WHERE code = $1 AND other_key IS NOT NULL AND other_key_until IS NULL";
    RETIRE_KEY = "UPDATE apps SET other_key = NULL, other_key_until = NULL \
        WHERE code = $1 AND other_key_until IS NOT NULL";
}

statements! {
    APP_BY_CODE = concat!("SELECT ", app_columns!(""), " FROM apps WHERE code = $1");
    FIRST_APP = concat!("SELECT ", app_columns!(""), " FROM apps ORDER BY created_at, id LIMIT 1");
    TWO_APPS = "SELECT id FROM apps LIMIT 2";

    // Statements of the operator's commands.
    APPS = concat!("SELECT ", app_columns!(""), " FROM apps ORDER BY created_at, id");
    INSERT_APP = "INSERT INTO apps \
        (id, code, name, sdk_secret, secret_key, \"system_user\", created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
}

pub(crate) fn row<R: Row>(row: &R, sealer: &Sealer) -> Result<App, R::Error> {
    let code = row.known(1, "app code", |code| AppCode::parse(code).ok())?;
    let opened = |column: usize, place: SecretLocation<'_>| {
        let opened = sealer.open_text(place, row.word(column)?);
        opened.map_err(|why| R::unreadable(column, why))
    };
    let key = SecretLocation::AppKey(code.as_str());
    let other_key = match row.maybe_word(7)? {
        Some(_) => Some(OtherKey::from_stored(opened(7, key)?, row.maybe_time(8)?)),
        None => None,
    };
    Ok(App {
        id: AppId(row.number(0)?),
        name: row.text(2)?,
        sdk_secret: opened(3, SecretLocation::AppSecret(code.as_str()))?,
        secret_key: opened(4, key)?,
        other_key,
        system_user: UserKey(row.number(5)?),
        created_at: row.time(6)?,
        has_chat_message_webhook: row.number(9)? > 0,
        shows_sender_extras: row.number(10)? > 0,
        code,
    })
}

pub(crate) fn change(app: AppId, change: &AppChange, sealer: &Sealer) -> Vec<Ask> {
    vec![match change {
        AppChange::Rename { name } => Ask::new(&RENAME_APP, values![app.0, name]),
        AppChange::TakeKeyStep { code, step, now } => key_step(code, step, *now, sealer),
    }]
}

/// Returns the statement that applies a step of a key change, for a rule or a command. It affects
/// no row if the step is not allowed.
pub(crate) fn key_step(code: &AppCode, step: &KeyStep, now: Timestamp, sealer: &Sealer) -> Ask {
    let app = code.as_str();
    let sealed = |key: &str| sealer.seal(SecretLocation::AppKey(app), key);
    match step {
        KeyStep::Stage { new_key } => Ask::new(&STAGE_KEY, values![app, sealed(new_key), now]),
        KeyStep::Unstage => Ask::new(&UNSTAGE_KEY, values![app]),
        KeyStep::Promote { until } => Ask::new(&PROMOTE_KEY, values![app, *until]),
        KeyStep::Retire => Ask::new(&RETIRE_KEY, values![app]),
        KeyStep::Rotate { sdk_secret, secret_key } => {
            let sdk_secret = sealer.seal(SecretLocation::AppSecret(app), sdk_secret);
            Ask::new(&SET_APP_KEYS, values![app, sdk_secret, sealed(secret_key)])
        }
    }
}

impl Store {
    /// Returns the app with this code.
    pub async fn app(&self, code: &AppCode) -> Read<Option<App>> {
        self.found_app(Ask::new(&APP_BY_CODE, values![code.as_str()])).await
    }

    /// Returns the app with this id.
    pub async fn app_by_id(&self, app: AppId) -> Read<Option<App>> {
        self.found_app(Ask::new(&APP_BY_ID, values![app.0])).await
    }

    /// Returns the oldest app. Apps are never deleted, so all nodes get the same one.
    pub async fn first_app(&self) -> Read<Option<App>> {
        self.found_app(Ask::new(&FIRST_APP, values![])).await
    }

    /// Whether there is more than one app.
    pub async fn has_several_apps(&self) -> Read<bool> {
        let found = self.query_now(Ask::new(&TWO_APPS, values![]), |row| row.number(0)).await?;
        Ok(found.len() > 1)
    }

    async fn found_app(&self, ask: Ask) -> Read<Option<App>> {
        Ok(self.query_now(ask, |row| self::row(row, self.sealer())).await?.pop())
    }
}
