//! Functions shared by several webhooks.

use confab_domain::json_text::JsonText;

/// Returns the JSON text, or `{}`, for keys whose value is a string that contains JSON.
pub(super) fn text_or_empty_object(json: Option<&JsonText>) -> &str {
    json.map_or("{}", JsonText::as_str)
}
