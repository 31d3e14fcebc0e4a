//! Accounts: an agent with all stored data, including the password hash and the sign-ins.

use std::fmt;

use crate::field_problem::FieldProblem;
use crate::ids::SignInId;
use crate::limits;
use crate::people::user::User;
use crate::support::conversations::customer_room::AgentRecord;
use crate::time::Timestamp;

/// The e-mail address that an agent signs in with, in lower case. Unique in the whole server.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// Parses an address: text before and after one `@`, without white space. Converts it to lower
    /// case.
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

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Hides the address, which must not reach a log.
impl fmt::Debug for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EmailAddress")
    }
}

/// An agent with all stored data. No `Debug`: it holds keys.
#[derive(Clone)]
pub struct Account {
    pub agent: AgentRecord,
    /// The user that posts for the agent in rooms.
    pub speaker: User,
    pub password_hash: String,
    /// The agent's sign-ins, including expired ones that are not deleted yet.
    pub sign_ins: Vec<SignIn>,
    /// The agent's sign-in codes, including expired ones that are not deleted yet.
    pub codes: Vec<SignInCode>,
}

impl Account {
    /// Returns the sign-ins that have not expired.
    pub fn valid_sign_ins(&self, now: Timestamp) -> impl Iterator<Item = &SignIn> {
        self.sign_ins.iter().filter(move |it| it.until > now)
    }
}

/// A stored sign-in of an agent: the hash of its token, and its expiry. No `Debug`: hashes must not
/// reach a log.
#[derive(Clone, PartialEq, Eq)]
pub struct SignIn {
    pub id: SignInId,
    pub hash: String,
    /// Time when the token expires.
    pub until: Timestamp,
}

/// A stored code that signs an agent in once. No `Debug`: hashes must not reach a log.
#[derive(Clone, PartialEq, Eq)]
pub struct SignInCode {
    pub hash: String,
    /// Time when the code expires.
    pub until: Timestamp,
}

/// A sign-in as its owner sees it in a list. No `Debug`: hashes must not reach a log.
#[derive(Clone, PartialEq, Eq)]
pub struct SignInView {
    pub id: SignInId,
    pub hash: String,
    pub created_at: Timestamp,
    /// Time of the last recorded use. Uses are recorded every [`limits::SIGN_IN_SEEN_EVERY_S`]
    /// seconds.
    pub seen_at: Timestamp,
    /// Name of the browser or client, for display.
    pub browser: Option<String>,
    /// IP address that the agent signed in from.
    pub address: Option<String>,
}

/// Whether a use of a sign-in must be recorded, given the time of the last recorded use.
pub fn is_seen_worth_noting(seen_at: Timestamp, now: Timestamp) -> bool {
    now.0 - seen_at.0 >= limits::SIGN_IN_SEEN_EVERY_S * 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_of_a_sign_in_is_recorded_at_most_once_per_interval() {
        let (seen, minutes) = (Timestamp(1_000), limits::SIGN_IN_SEEN_EVERY_S * 1_000_000);
        assert!(!is_seen_worth_noting(seen, Timestamp(999 + minutes)));
        assert!(is_seen_worth_noting(seen, Timestamp(1_000 + minutes)));
        assert!(!is_seen_worth_noting(seen, Timestamp(0)), "the clock went back");
    }

    #[test]
    fn addresses_are_lowercased_and_hidden_from_debug_output() {
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
