//! Fields shared by requests about provider accounts: tokens, ids, API versions.

use std::collections::BTreeMap;

use confab_domain::channels::provider_account::ProviderAccount;

use crate::fields::field;
use crate::fields::shape::string;

// Names of settings and secrets that all Meta accounts have.
pub(super) const ACCESS_TOKEN: &str = "access_token";
pub(super) const APP_SECRET: &str = "app_secret";
pub(super) const VERIFY_TOKEN: &str = "verify_token";
pub(super) const API_VERSION: &str = "api_version";
pub(super) const READ_ENABLED: &str = "read_enabled";
pub(super) const BASE_URL: &str = "base_url";

const SECRET_CHARS_MAX: usize = 1024;
const ID_CHARS_MAX: usize = 32;

field! {
    /// A token or secret. Only visible ASCII, because it becomes a header value or a signing key.
    pub(super) SecretText -> String, string().at_most(SECRET_CHARS_MAX);
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        if text.len() > SECRET_CHARS_MAX || !text.chars().all(|c| c.is_ascii_graphic()) {
            return reading.wrong(field, "must be ASCII characters without spaces");
        }
        Some(text)
    }
}

field! {
    /// A numeric id assigned by Meta. Only digits, because it becomes part of a URL path.
    pub(super) MetaId -> String, string().at_most(ID_CHARS_MAX);
    |reading, field, given| {
        let id = reading.key(field, given)?;
        let is_number = !id.is_empty() && id.bytes().all(|it| it.is_ascii_digit());
        match is_number && id.len() <= ID_CHARS_MAX {
            true => Some(id),
            false => reading.wrong(field, "must contain only digits, as shown at Meta"),
        }
    }
}

field! {
    /// An API version such as `v25.0`.
    pub(super) ApiVersion -> String;
    |reading, field, given| {
        let version = reading.filled_text(field, given)?;
        let numbers = version.strip_prefix('v').and_then(|it| it.split_once('.'));
        let is_number = |it: &str| {
            (1..=3).contains(&it.len()) && it.bytes().all(|digit| digit.is_ascii_digit())
        };
        match numbers.is_some_and(|(major, minor)| is_number(major) && is_number(minor)) {
            true => Some(version),
            false => reading.wrong(field, "must be a version such as v25.0"),
        }
    }
}

type NamedField<'a> = (&'a str, Option<String>);

/// Creates an account from the settings that are present.
pub(super) fn account(settings: &[NamedField<'_>]) -> ProviderAccount {
    ProviderAccount { settings: secrets(settings), ..ProviderAccount::default() }
}

/// Formats a boolean as it is stored in an account's settings.
pub(super) fn flag(given: Option<bool>) -> Option<String> {
    given.map(|it| it.to_string())
}

/// Returns the secrets of a Meta account that are present.
pub(super) fn meta_secrets(
    access_token: Option<String>,
    app_secret: Option<String>,
    verify_token: Option<String>,
) -> BTreeMap<String, String> {
    secrets(&[(ACCESS_TOKEN, access_token), (APP_SECRET, app_secret), (VERIFY_TOKEN, verify_token)])
}

/// Returns the values that are present, by name.
pub(super) fn secrets(given: &[NamedField<'_>]) -> BTreeMap<String, String> {
    let given = given.iter().filter_map(|(name, value)| Some(((*name).to_owned(), value.clone()?)));
    given.collect()
}
