//! Text of others, made harmless for a terminal.

/// Without control characters: what a receiver answers could move the cursor, change colours or
/// make the terminal type. Line breaks and tabs stay.
pub(super) fn inert(text: &str) -> String {
    let is_harmless = |c: char| !c.is_control() || c == '\n' || c == '\t';
    text.chars().map(|c| if is_harmless(c) { c } else { '\u{fffd}' }).collect()
}

/// The same, and on one line.
pub(super) fn inert_line(text: &str) -> String {
    inert(text).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_taken_out_and_letters_stay() {
        assert_eq!(inert("\u{1b}[31mrot\u{9b}2J\r\n\tGrüße 👋"), "�[31mrot�2J�\n\tGrüße 👋");
        assert_eq!(inert_line("a\nb\tc"), "a b c");
    }
}
