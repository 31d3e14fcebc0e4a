//! Headers of mails: syntax of ids, and the names of Confab's own headers.

const ID_BYTES_MAX: usize = 250;

/// Header by which an app recognizes mails that it sent. Its value is a mark (see `marking`).
pub(super) const LOOP_HEADER: &str = "X-Confab-Channel";

/// Prefix of the mark in the Message-ID of mails that Confab sends.
pub(super) const OWN_ID_PREFIX: &str = "confab.";

/// Whether a text can be a Message-ID, without its angle brackets.
pub(super) fn is_id(id: &str) -> bool {
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && c != '<' && c != '>';
    !id.is_empty() && id.len() <= ID_BYTES_MAX && id.chars().all(is_plain)
}

/// Returns the Message-IDs in the raw value of a header, without their angle brackets.
pub(super) fn ids_in(text: &str) -> Vec<String> {
    let ids = text.split_whitespace().map(|it| it.trim_matches(['<', '>']).to_owned());
    ids.filter(|it| is_id(it)).collect()
}
