//! Checks of the display names of users, rooms, agents, channels and tags.

use crate::field_problem::FieldProblem;

/// Rejects control characters, which could affect terminals or break lines: names appear in lists,
/// e-mails and the logs of other programs.
pub fn check(field: &str, name: &str) -> Result<(), FieldProblem> {
    match name.contains(char::is_control) {
        true => Err(FieldProblem::new(field, "must not contain control characters")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_have_letters_of_any_script_but_no_control_characters() {
        for name in ["Ana", "Ναυσικάα 🌊", "O'Neill \u{200d}", "a\u{a0}b"] {
            assert_eq!(check("name", name), Ok(()), "{name}");
        }
        for name in ["a\nb", "\u{1b}[2J", "\u{7f}", "\u{9b}31m", "tab\t"] {
            assert!(check("name", name).is_err(), "{name:?}");
        }
    }
}
