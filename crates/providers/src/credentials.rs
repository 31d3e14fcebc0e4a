//! Credentials of channels: tokens for the provider's API and secrets that prove webhooks.
//!
//! [`Secret`] and [`Credentials`] have no `Debug`: a token must not be logged or become part of an
//! error text.

use std::collections::BTreeMap;

/// A secret string. Callers of `expose` must not log or display it.
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

/// Credentials of a channel by name. The constant `NAMES` of each provider lists the names.
#[derive(Clone, Default)]
pub struct Credentials(BTreeMap<String, Secret>);

impl Credentials {
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.0.insert(name.to_owned(), Secret::new(value));
        self
    }

    /// Returns a credential; `None` if it is absent or empty.
    pub(super) fn get(&self, name: &str) -> Option<&Secret> {
        self.0.get(name).filter(|value| !value.expose().is_empty())
    }

    /// Returns a credential, or an empty secret if it is absent, so that the provider rejects the
    /// request.
    pub(super) fn secret(&self, name: &str) -> Secret {
        self.get(name).cloned().unwrap_or_else(|| Secret::new(""))
    }

    /// Returns a credential that is not secret, such as the id of a page; empty if it is absent.
    pub(super) fn plain(&self, name: &str) -> &str {
        self.get(name).map_or("", Secret::expose)
    }
}

/// Name and properties of a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CredentialName {
    pub name: &'static str,
    /// Whether the credential is stored encrypted, and only its last characters are displayed.
    pub is_secret: bool,
    /// Whether a channel cannot work without the credential.
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
