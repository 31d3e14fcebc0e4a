//! What accounts at services are given: tokens, integers, versions.

use std::collections::BTreeMap;

use confab_domain::channels::provider_account::ProviderAccount;

use crate::fields::field;
use crate::fields::shape::string;

/// What accounts at Meta have in common.
pub(super) const ACCESS_TOKEN: &str = "access_token";
pub(super) const APP_SECRET: &str = "app_secret";
pub(super) const VERIFY_TOKEN: &str = "verify_token";
pub(super) const API_VERSION: &str = "api_version";
pub(super) const READ_ENABLED: &str = "read_enabled";
pub(super) const BASE_URL: &str = "base_url";

const SECRET_CHARS_MAX: usize = 1024;
const ID_CHARS_MAX: usize = 32;

field! {
    /// A token or a secret: it becomes a header, or a key.
    pub(super) SecretText -> String, string().at_most(SECRET_CHARS_MAX);
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        if text.len() > SECRET_CHARS_MAX || !text.chars().all(|c| c.is_ascii_graphic()) {
            return reading.wrong(field, "must be letters and signs without blanks");
        }
        Some(text)
    }
}

field! {
    /// An integer of Meta's; it becomes part of a path.
    pub(super) MetaId -> String, string().at_most(ID_CHARS_MAX);
    |reading, field, given| {
        let id = reading.key(field, given)?;
        let is_number = !id.is_empty() && id.bytes().all(|it| it.is_ascii_digit());
        match is_number && id.len() <= ID_CHARS_MAX {
            true => Some(id),
            false => reading.wrong(field, "must be digits, as Meta shows it"),
        }
    }
}

field! {
    /// `v25.0`
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

type Named<'a> = (&'a str, Option<String>);

/// An account with these settings, as far as they are given.
pub(super) fn account(settings: &[Named<'_>]) -> ProviderAccount {
    ProviderAccount { settings: secrets(settings), ..ProviderAccount::default() }
}

/// A switch as it is kept.
pub(super) fn flag(given: Option<bool>) -> Option<String> {
    given.map(|it| it.to_string())
}

/// What opens an account at Meta, as far as it is given.
pub(super) fn meta_secrets(
    access_token: Option<String>,
    app_secret: Option<String>,
    verify_token: Option<String>,
) -> BTreeMap<String, String> {
    secrets(&[(ACCESS_TOKEN, access_token), (APP_SECRET, app_secret), (VERIFY_TOKEN, verify_token)])
}

/// Those that are given, by their names.
pub(super) fn secrets(given: &[Named<'_>]) -> BTreeMap<String, String> {
    let given = given.iter().filter_map(|(name, value)| Some(((*name).to_owned(), value.clone()?)));
    given.collect()
}
