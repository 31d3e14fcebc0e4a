//! What stands in the headers of mails: addresses, ids, and the name of our own.

pub(super) const ADDRESS_BYTES_MAX: usize = 254;
const ID_BYTES_MAX: usize = 250;

/// The header by which an app recognizes what it sent itself. Its value is a mark (`marking`).
pub(super) const LOOP_HEADER: &str = "X-Confab-Channel";

/// What stands before the mark in the Message-ID of a mail that a Confab sent.
pub(super) const OWN_ID_PREFIX: &str = "confab.";

/// Whether something can be the address of a channel: `name@host`, plain letters.
pub fn is_address(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_graphic() && !"<>()[]\\,;:\"".contains(c);
    let Some((name, host)) = text.rsplit_once('@') else { return false };
    text.len() <= ADDRESS_BYTES_MAX
        && !name.is_empty()
        && !name.contains('@')
        && name.chars().all(is_plain)
        && is_host(host)
}

/// Whether something can be a domain name in ASCII.
pub(super) fn is_host(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    !text.is_empty() && text.chars().all(is_plain)
}

/// Whether something can be the id of a mail.
pub(super) fn is_id(id: &str) -> bool {
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && c != '<' && c != '>';
    !id.is_empty() && id.len() <= ID_BYTES_MAX && id.chars().all(is_plain)
}

/// The ids in a header that nobody parsed.
pub(super) fn ids_in(text: &str) -> Vec<String> {
    let ids = text.split_whitespace().map(|it| it.trim_matches(['<', '>']).to_owned());
    ids.filter(|it| is_id(it)).collect()
}
