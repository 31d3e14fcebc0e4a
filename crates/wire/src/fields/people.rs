//! Who somebody is.

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::password;
use confab_domain::limits;
use confab_domain::people::user::UserId;
use utoipa::openapi::schema::Schema;

use super::{Field, Short, string};
use crate::reading::{Given, Reading};

/// The name that the app gave a user.
pub(crate) struct User;

impl Field for User {
    type Value = UserId;

    fn schema() -> Schema {
        let schema = string().max_length(Some(limits::USER_ID_CHARS_MAX));
        schema.pattern(Some("^[A-Za-z0-9._@-]+$")).into()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<UserId> {
        let text = reading.key(field, given)?;
        reading.check(UserId::parse(field, &text))
    }
}

/// A name for people.
pub(crate) struct Name;

impl Field for Name {
    type Value = String;

    fn schema() -> Schema {
        Short::<{ limits::NAME_CHARS_MAX }>::schema()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<String> {
        reading.name(field, given, limits::NAME_CHARS_MAX)
    }
}

/// The name that somebody who works in an app signs in with; an empty text counts as missing.
pub(crate) struct Email;

impl Field for Email {
    type Value = EmailAddress;

    fn schema() -> Schema {
        string().max_length(Some(limits::EMAIL_CHARS_MAX)).into()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<EmailAddress> {
        let text = reading.filled_text(field, given)?;
        reading.check(EmailAddress::parse(field, &text))
    }
}

/// A password to be tried; an empty one counts as missing.
pub(crate) struct Password;

impl Field for Password {
    type Value = String;

    fn schema() -> Schema {
        string().max_length(Some(limits::PASSWORD_CHARS_MAX)).into()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<String> {
        let password = reading.filled_text(field, given)?;
        let chars_max = limits::PASSWORD_CHARS_MAX;
        if password.chars().count() > chars_max {
            return reading.wrong(field, format!("must have 1 to {chars_max} characters"));
        }
        Some(password)
    }
}

/// A password to be used from now on; an empty one counts as missing.
pub(crate) struct NewPassword;

impl Field for NewPassword {
    type Value = password::NewPassword;

    fn schema() -> Schema {
        let schema = string().min_length(Some(limits::PASSWORD_CHARS_MIN));
        schema.max_length(Some(limits::PASSWORD_CHARS_MAX)).into()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<Self::Value> {
        let text = reading.filled_text(field, given)?;
        reading.check(password::NewPassword::parse(field, &text))
    }
}
