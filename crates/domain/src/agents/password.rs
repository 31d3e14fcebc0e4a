//! Checks of agents' new passwords.

use crate::field_problem::FieldProblem;
use crate::limits;

/// Passwords that attackers try first: well-known ones of at least [`limits::PASSWORD_CHARS_MIN`]
/// characters, and simple patterns of words, years and keyboard rows. One per line, in lower case,
/// sorted.
const COMMON: &str = include_str!("common_passwords.txt");

/// A checked password to be set for an agent. The API, the first start and the command line apply
/// the same checks. No `Debug`: it is a secret.
#[derive(Clone)]
pub struct NewPassword(String);

impl NewPassword {
    /// Checks the password's length, and that it is not in the list of common passwords, ignoring
    /// case.
    pub fn parse(field: &str, text: &str) -> Result<Self, FieldProblem> {
        let (least, most) = (limits::PASSWORD_CHARS_MIN, limits::PASSWORD_CHARS_MAX);
        if !(least..=most).contains(&text.chars().count()) {
            let problem = format!("must have {least} to {most} characters");
            return Err(FieldProblem::new(field, problem));
        }
        if is_common(text) {
            let problem = "is one of the most common passwords; choose another one";
            return Err(FieldProblem::new(field, problem));
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the password, to be hashed.
    pub fn into_text(self) -> String {
        self.0
    }
}

fn is_common(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    COMMON.lines().any(|common| common == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let problem = NewPassword::parse("password", text).err().map(|it| it.to_string());
        assert_eq!(problem.as_deref(), expected, "{text:?}");
    }

    #[test]
    fn passwords_have_8_to_255_characters() {
        let length = Some("password must have 8 to 255 characters");
        check("", length);
        check("1234567", length);
        check("ünïcödé", length);
        check("jkqxvbzw", None);
        check(&"jk".repeat(127), None);
        check(&"jk".repeat(128), length);
    }

    #[test]
    fn common_passwords_are_refused_in_any_case() {
        let common = Some("password is one of the most common passwords; choose another one");
        for text in [
            "12345678",
            "password",
            "PassWord1",
            "Qwertyuiop",
            "iloveyou",
            " sunshine ",
            "admin1234",
            "1q2w3e4r",
            "Welcome2026",
            "correct horse battery staple",
        ] {
            check(text, common);
        }
        check("three of my own words", None);
    }

    #[test]
    fn the_list_of_common_passwords_is_sorted_lower_case_and_long_enough() {
        let lines: Vec<_> = COMMON.lines().collect();
        assert!(lines.len() > 5_000, "{}", lines.len());
        assert!(lines.is_sorted());
        for line in lines {
            assert!(line.chars().count() >= limits::PASSWORD_CHARS_MIN, "{line:?}");
            assert_eq!(line, line.trim().to_lowercase());
        }
    }
}
