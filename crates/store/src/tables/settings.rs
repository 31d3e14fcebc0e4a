//! Settings of apps as pairs of name and value.

use confab_domain::ids::AppId;
use confab_domain::support::settings::Settings;

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

prepared! {
    SETTINGS = "SELECT name, value FROM settings WHERE app = $1";
    PUT_SETTING = "INSERT INTO settings (app, name, value) VALUES ($1, $2, $3) \
        ON CONFLICT (app, name) DO UPDATE SET value = excluded.value";
    REMOVE_SETTING = "DELETE FROM settings WHERE app = $1 AND name = $2";
}

statements! {
    APPS_WITH_SETTING = "SELECT app FROM settings WHERE name = $1";
    APPS_THAT_ALLOCATE = "SELECT app FROM settings WHERE name = $1 AND value = 'true'";
}

pub(crate) fn row(row: &ValueRow) -> Read<(String, String)> {
    Ok((row.text(0)?, row.text(1)?))
}

/// Sets or removes a setting of the app.
pub(crate) fn set(app: AppId, name: &str, value: Option<&str>) -> Vec<Ask> {
    vec![match value {
        Some(value) => Ask::new(&PUT_SETTING, values![app.0, name, value]),
        None => Ask::new(&REMOVE_SETTING, values![app.0, name]),
    }]
}

impl Store {
    /// Returns the app's settings.
    pub async fn settings(&self, app: AppId) -> Read<Settings> {
        let set = self.query_now(Ask::new(&SETTINGS, values![app.0]), row).await?;
        Ok(Settings::from_stored(set))
    }

    /// Returns the apps for which this server assigns agents to conversations automatically.
    pub async fn apps_that_allocate(&self) -> Read<Vec<AppId>> {
        let ask = Ask::new(&APPS_THAT_ALLOCATE, values![Settings::ALLOCATES]);
        self.asked(ask, |row| Ok(AppId(row.number(0)?))).await
    }

    /// Returns the apps that resolve idle conversations automatically.
    pub async fn apps_that_end_idle(&self) -> Read<Vec<AppId>> {
        let ask = Ask::new(&APPS_WITH_SETTING, values![Settings::IDLE_RESOLVE_MINUTES]);
        self.asked(ask, |row| Ok(AppId(row.number(0)?))).await
    }
}
