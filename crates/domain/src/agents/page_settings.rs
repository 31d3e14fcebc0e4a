//! Dashboard settings that agents choose for themselves (design/pages).

use crate::json_text::JsonText;

/// Language codes of the dashboard's translations.
pub const LANGUAGES: [&str; 2] = ["en", "id"];

/// Dashboard settings of one agent. The server stores them and does not interpret them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageSettings {
    /// One of [`LANGUAGES`]; `None` selects the browser's language.
    pub language: Option<String>,
    /// A JSON object of the dashboard's preferences.
    pub preferences: Option<JsonText>,
}
