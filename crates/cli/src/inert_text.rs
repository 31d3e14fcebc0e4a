//! Makes untrusted text safe to print on a terminal.

/// Replaces control characters except line breaks and tabs. With control characters, untrusted text
/// could move the cursor, change colors or simulate typed input.
pub(super) fn inert(text: &str) -> String {
    let is_harmless = |c: char| !c.is_control() || c == '\n' || c == '\t';
    text.chars().map(|c| if is_harmless(c) { c } else { '\u{fffd}' }).collect()
}

/// Replaces control characters including line breaks and tabs, so that the text is one line.
pub(super) fn inert_line(text: &str) -> String {
    inert(text).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_replaced_and_letters_stay() {
        assert_eq!(inert("\u{1b}[31mrot\u{9b}2J\r\n\tGrüße 👋"), "�[31mrot�2J�\n\tGrüße 👋");
        assert_eq!(inert_line("a\nb\tc"), "a b c");
    }
}
