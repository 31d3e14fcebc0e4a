//! JSON as the received text, so that number spelling and key order survive (D-0013).

/// A text that is valid JSON. `wire` creates it after validation; the rules do not parse it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonText(String);

impl JsonText {
    /// Wraps a text that the caller has validated as one JSON value.
    pub fn from_checked(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn empty_object() -> Self {
        Self("{}".to_owned())
    }
}
