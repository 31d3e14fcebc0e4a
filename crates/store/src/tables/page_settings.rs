//! Settings that agents make for their own dashboard (design/pages).

use confab_domain::agents::page_settings::PageSettings;
use confab_domain::ids::AgentId;
use confab_domain::json_text::JsonText;

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

prepared! {
    SET_LANGUAGE = "INSERT INTO page_settings (agent, language) VALUES ($1, $2) \
        ON CONFLICT (agent) DO UPDATE SET language = excluded.language";
    SET_PREFERENCES = "INSERT INTO page_settings (agent, preferences) VALUES ($1, $2) \
        ON CONFLICT (agent) DO UPDATE SET preferences = excluded.preferences";
    REMOVE_PAGE_SETTINGS = "DELETE FROM page_settings WHERE agent = $1";
}

statements! {
    PAGE_SETTINGS = "SELECT language, preferences FROM page_settings WHERE agent = $1";
}

fn row(row: &ValueRow) -> Read<PageSettings> {
    Ok(PageSettings { language: row.maybe_text(0)?, preferences: row.json(1)? })
}

pub(crate) fn set_language(agent: AgentId, language: Option<&str>) -> Vec<Ask> {
    vec![Ask::new(&SET_LANGUAGE, values![agent.0, language])]
}

pub(crate) fn set_preferences(agent: AgentId, preferences: &JsonText) -> Vec<Ask> {
    vec![Ask::new(&SET_PREFERENCES, values![agent.0, preferences])]
}

pub(crate) fn remove(agent: AgentId) -> Vec<Ask> {
    vec![Ask::new(&REMOVE_PAGE_SETTINGS, values![agent.0])]
}

impl Store {
    /// Returns an agent's settings of their own dashboard.
    pub async fn page_settings(&self, agent: AgentId) -> Read<PageSettings> {
        let found = self.query_now(Ask::new(&PAGE_SETTINGS, values![agent.0]), row).await?;
        Ok(found.into_iter().next().unwrap_or_default())
    }
}
