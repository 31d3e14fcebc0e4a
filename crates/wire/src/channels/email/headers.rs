//! Headers of mails: syntax of addresses and ids, and the names of Confab's own headers.

pub(super) const ADDRESS_BYTES_MAX: usize = 254;
const ID_BYTES_MAX: usize = 250;

/// Header by which an app recognizes mails that it sent. Its value is a mark (see `marking`).
pub(super) const LOOP_HEADER: &str = "X-Confab-Channel";

/// Prefix of the mark in the Message-ID of mails that Confab sends.
pub(super) const OWN_ID_PREFIX: &str = "confab.";

/// Whether a text can be the address of a channel: `name@host` in plain ASCII.
pub fn is_address(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_graphic() && !"<>()[]\\,;:\"".contains(c);
    let Some((name, host)) = text.rsplit_once('@') else { return false };
    text.len() <= ADDRESS_BYTES_MAX
        && !name.is_empty()
        && !name.contains('@')
        && name.chars().all(is_plain)
        && is_host(host)
}

/// Whether a text can be a domain name in ASCII.
pub(super) fn is_host(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    !text.is_empty() && text.chars().all(is_plain)
}

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
