//! What several webhooks have in common.

use confab_domain::json_text::JsonText;

/// A checked text, or `{}`: for keys that hold JSON inside a string.
pub(super) fn text_or_empty_object(json: Option<&JsonText>) -> &str {
    json.map_or("{}", JsonText::as_str)
}
