//! What proves a channel to its provider, and the provider to the channel.
//!
//! Nothing here has `Debug`: a token must not reach a log or the text of an error.

use std::collections::BTreeMap;

/// A text that nobody is shown. Whoever calls `expose` sends it and does nothing else with it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// What a channel is set up with, by name: `NAMES` of each provider lists them.
#[derive(Clone, Default)]
pub struct Credentials(BTreeMap<String, Secret>);

impl Credentials {
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.0.insert(name.to_owned(), Secret::new(value));
        self
    }

    /// The value; an empty one is none.
    pub(super) fn get(&self, name: &str) -> Option<&Secret> {
        self.0.get(name).filter(|value| !value.expose().is_empty())
    }

    /// The value, or nothing to prove anything with.
    pub(super) fn secret(&self, name: &str) -> Secret {
        self.get(name).cloned().unwrap_or_else(|| Secret::new(""))
    }

    /// A value that is no secret, such as the id of a page.
    pub(super) fn plain(&self, name: &str) -> &str {
        self.get(name).map_or("", Secret::expose)
    }
}

/// One of the values that a provider wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CredentialName {
    pub name: &'static str,
    /// It is kept sealed, and shown by its last characters only.
    pub is_secret: bool,
    /// Without it nothing works.
    pub is_required: bool,
}

impl CredentialName {
    pub(super) const fn secret(name: &'static str) -> Self {
        Self { name, is_secret: true, is_required: true }
    }

    pub(super) const fn plain(name: &'static str) -> Self {
        Self { name, is_secret: false, is_required: true }
    }

    pub(super) const fn or_absent(self) -> Self {
        Self { is_required: false, ..self }
    }
}
