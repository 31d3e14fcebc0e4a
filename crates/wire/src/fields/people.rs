//! Kinds of fields that identify or authenticate people.

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::password;
use confab_domain::limits;
use confab_domain::people::user::{UserId, UserRef, without_plus};

use crate::fields::kind::field;
use crate::fields::shape::string;
use crate::fields::texts::Short;

field! {
    /// User id that the app gave a user.
    pub(crate) User -> UserId,
        string().at_most(limits::USER_ID_CHARS_MAX).of_pattern("^[A-Za-z0-9._@-]+$");
    |reading, field, given| {
        let text = reading.key(field, given)?;
        reading.check(UserId::parse(field, &text))
    }
}

field! {
    /// User in a call with the app's own credentials: a user id, or `<channel id>:<user id>` for a
    /// customer (D-0203).
    pub(crate) AddressedUser -> UserRef,
        string().at_most(limits::ADDRESS_CHARS_MAX).of_pattern("^([0-9]+:)?[A-Za-z0-9._@-]+$");
    |reading, field, given| {
        let text = reading.key(field, given)?;
        reading.check(UserRef::parse_addressed(field, &text))
    }
}

field! {
    /// Customer's user id in a channel. The plus sign of a phone number is removed, so that both
    /// spellings name the same customer.
    pub(crate) ChannelUser -> UserId,
        string().at_most(limits::USER_ID_CHARS_MAX + 1).of_pattern(r"^(\+[0-9]+|[A-Za-z0-9._@-]+)$");
    |reading, field, given| {
        let text = reading.key(field, given)?;
        reading.check(UserId::parse(field, without_plus(&text)))
    }
}

field! {
    /// Display name of a person.
    pub(crate) Name -> String, Short::<{ limits::NAME_CHARS_MAX }>::SHAPE;
    |reading, field, given| reading.name(field, given, limits::NAME_CHARS_MAX)
}

field! {
    /// E-mail address with which an agent signs in; an empty string counts as missing.
    pub(crate) Email -> EmailAddress, string().at_most(limits::EMAIL_CHARS_MAX);
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        reading.check(EmailAddress::parse(field, &text))
    }
}

field! {
    /// Password of a sign-in; an empty one counts as missing.
    pub(crate) Password -> String, string().at_most(limits::PASSWORD_CHARS_MAX);
    |reading, field, given| {
        let password = reading.filled_text(field, given)?;
        let chars_max = limits::PASSWORD_CHARS_MAX;
        if password.chars().count() > chars_max {
            return reading.wrong(field, format!("must have 1 to {chars_max} characters"));
        }
        Some(password)
    }
}

field! {
    /// New password of an agent; an empty one counts as missing.
    pub(crate) NewPassword -> password::NewPassword,
        string().at_least(limits::PASSWORD_CHARS_MIN).at_most(limits::PASSWORD_CHARS_MAX);
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        reading.check(password::NewPassword::parse(field, &text))
    }
}
