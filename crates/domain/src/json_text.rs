//! JSON as the text that came in, so that number spelling and key order survive (D-0013).

/// A text that is valid JSON. `wire` makes it after checking; nobody here looks inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonText(String);

impl JsonText {
    /// Takes a text that the caller has checked to be one JSON value.
    pub fn from_checked(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn empty_object() -> Self {
        Self("{}".to_owned())
    }
}
