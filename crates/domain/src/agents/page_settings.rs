//! What people who work in an app set for themselves in their pages (D-0128).

use crate::json_text::JsonText;

/// The languages that pages speak.
pub const LANGUAGES: [&str; 2] = ["en", "id"];

/// What somebody set for themselves. It is kept for their pages and means nothing here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageSettings {
    /// One of [`LANGUAGES`]; nothing if it is the browser's.
    pub language: Option<String>,
    /// A JSON object.
    pub preferences: Option<JsonText>,
}
