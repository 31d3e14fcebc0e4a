//! Labels of the custom buttons of agents' dashboards. The URLs of buttons are in `endpoints`.

use confab_domain::ids::{AppId, EndpointId};
use confab_domain::limits;
use confab_domain::support::automation::buttons::Button;

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

prepared! {
    PUT_BUTTON = "INSERT INTO custom_buttons (app, id, label) VALUES ($1, $2, $3) \
        ON CONFLICT (app, id) DO UPDATE SET label = excluded.label";
    BUTTON_LABEL = "SELECT label FROM custom_buttons WHERE app = $1 AND id = $2";
    REMOVE_BUTTON = "DELETE FROM custom_buttons WHERE app = $1 AND id = $2";
}

statements! {
    BUTTONS = "SELECT b.id, b.label, e.url, e.is_enabled FROM custom_buttons b \
        JOIN endpoints e ON e.id = b.id WHERE b.app = $1 ORDER BY b.id LIMIT $2";
}

fn row(row: &ValueRow) -> Read<Button> {
    Ok(Button {
        id: EndpointId(row.number(0)?),
        label: row.text(1)?,
        url: row.text(2)?,
        is_active: row.flag(3)?,
    })
}

pub(crate) fn label(app: AppId, button: EndpointId) -> Ask {
    Ask::new(&BUTTON_LABEL, values![app.0, button.0])
}

pub(crate) fn put(app: AppId, button: EndpointId, label: &str) -> Vec<Ask> {
    vec![Ask::new(&PUT_BUTTON, values![app.0, button.0, label])]
}

pub(crate) fn remove(app: AppId, button: EndpointId) -> Vec<Ask> {
    vec![Ask::new(&REMOVE_BUTTON, values![app.0, button.0])]
}

impl Store {
    /// Returns the app's custom buttons.
    pub async fn buttons(&self, app: AppId) -> Read<Vec<Button>> {
        let ask = Ask::new(&BUTTONS, values![app.0, limits::BUTTONS_OF_APP_MAX as i64]);
        self.asked(ask, row).await
    }
}
