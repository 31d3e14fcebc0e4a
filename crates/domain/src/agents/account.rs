//! Accounts: all that is kept of somebody who works in an app.

use std::fmt;

use crate::field_problem::FieldProblem;
use crate::ids::SignInId;
use crate::limits;
use crate::people::user::User;
use crate::support::customer_room::AgentRecord;
use crate::time::Timestamp;

/// The address somebody signs in with: one in the whole server, whatever the case of its letters.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// Something before and after one `@`, without blanks; in small letters from now on.
    pub fn parse(field: &str, text: &str) -> Result<Self, FieldProblem> {
        let address = text.trim().to_lowercase();
        let is_odd = |c: char| c.is_whitespace() || c.is_control();
        let (name, host) = address.split_once('@').unwrap_or_default();
        let is_plain = !name.is_empty() && !host.is_empty() && !host.contains('@');
        if !is_plain || address.contains(is_odd) {
            return Err(FieldProblem::new(field, "must be an e-mail address"));
        }
        if address.chars().count() > limits::EMAIL_CHARS_MAX {
            let problem = format!("must have at most {} characters", limits::EMAIL_CHARS_MAX);
            return Err(FieldProblem::new(field, problem));
        }
        Ok(Self(address))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Addresses must not reach a log.
impl fmt::Debug for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EmailAddress")
    }
}

/// An agent with all that is kept. No `Debug`: it holds keys.
#[derive(Clone)]
pub struct Account {
    pub agent: AgentRecord,
    /// The user that speaks for them.
    pub speaker: User,
    /// The hash of their password.
    pub password_hash: String,
    /// Where they signed in, also those that are good no more.
    pub sign_ins: Vec<SignIn>,
    /// Codes that sign them in once, also those that are good no more.
    pub codes: Vec<SignInCode>,
}

impl Account {
    /// The sign-ins that are good at this moment.
    pub fn good_sign_ins(&self, now: Timestamp) -> impl Iterator<Item = &SignIn> {
        self.sign_ins.iter().filter(move |it| it.until > now)
    }
}

/// A token that was given to somebody who signed in. No `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct SignIn {
    pub id: SignInId,
    pub hash: String,
    /// Until when it is good.
    pub until: Timestamp,
}

/// A code that signs somebody in once. No `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct SignInCode {
    pub hash: String,
    /// Until when it is good.
    pub until: Timestamp,
}

/// A sign-in as its owner looks at it (D-0132). No `Debug`: hashes must not reach a log.
#[derive(Clone, PartialEq, Eq)]
pub struct SignInView {
    pub id: SignInId,
    pub hash: String,
    pub created_at: Timestamp,
    /// When it was used, give or take some minutes.
    pub seen_at: Timestamp,
    /// What was signed in with, as people call it.
    pub browser: Option<String>,
    /// From where.
    pub address: Option<String>,
}

/// Whether it is worth noting now that a sign-in is used, which was last noted then.
pub fn is_seen_worth_noting(seen_at: Timestamp, now: Timestamp) -> bool {
    now.0 - seen_at.0 >= limits::SIGN_IN_SEEN_EVERY_S * 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_use_of_a_sign_in_is_noted_once_in_some_minutes() {
        let (seen, minutes) = (Timestamp(1_000), limits::SIGN_IN_SEEN_EVERY_S * 1_000_000);
        assert!(!is_seen_worth_noting(seen, Timestamp(999 + minutes)));
        assert!(is_seen_worth_noting(seen, Timestamp(1_000 + minutes)));
        assert!(!is_seen_worth_noting(seen, Timestamp(0)), "the clock went back");
    }

    #[test]
    fn an_address_is_the_same_in_any_case_and_never_shown_by_accident() {
        let address = EmailAddress::parse("email", " Ana@Example.ORG ").expect("valid");
        assert_eq!(address.as_str(), "ana@example.org");
        assert_eq!(format!("{address:?}"), "EmailAddress");
        assert!(EmailAddress::parse("email", "admin@localhost").is_ok());
        let long = format!("{}@x.example", "a".repeat(limits::EMAIL_CHARS_MAX));
        for wrong in ["", "@", "ana", "ana@", "@x", "a@b@c", "a b@x", "a@x\ny", "a@\0", &long] {
            assert!(EmailAddress::parse("email", wrong).is_err(), "{wrong:?}");
        }
    }
}
