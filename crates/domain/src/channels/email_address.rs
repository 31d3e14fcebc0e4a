//! E-mail addresses of channels and customers, and their normal form: one spelling for each address
//! that can be answered.

use core::net::{Ipv4Addr, Ipv6Addr};

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};

const ADDRESS_BYTES_MAX: usize = 254;

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
fn is_host(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    !text.is_empty() && text.chars().all(is_plain)
}

/// Returns the normal form of an address: lower case, the domain in ASCII (A-labels), the local
/// part quoted only if necessary. `None` if no mail can be sent to the address.
pub fn normal_address(text: &str) -> Option<String> {
    let (local, domain) = text.rsplit_once('@')?;
    let address = format!("{}@{}", normal_local(local)?, normal_domain(domain)?);
    (address.len() <= ADDRESS_BYTES_MAX).then_some(address)
}

fn normal_local(text: &str) -> Option<String> {
    let quoted = text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let local = match quoted {
        Some(quoted) => unescaped(quoted)?.to_lowercase(),
        None => Some(text).filter(|it| it.chars().all(is_plain))?.to_lowercase(),
    };
    if local.is_empty() || local.chars().all(is_plain) {
        return Some(local).filter(|it| !it.is_empty());
    }
    Some(format!("\"{}\"", local.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// Returns the content of a quoted string; `None` if it contains characters that are not allowed in
/// an SMTP command.
fn unescaped(quoted: &str) -> Option<String> {
    let mut chars = quoted.chars();
    let mut text = String::new();
    while let Some(c) = chars.next() {
        let c = match c {
            '"' => return None,
            '\\' => chars.next()?,
            c => c,
        };
        // Servers without support for quoted strings end the address at an angle bracket.
        let is_allowed = is_plain(c) || " @()[]\\,;:\"".contains(c);
        text.push(is_allowed.then_some(c)?);
    }
    Some(text)
}

/// Whether a character needs no quotes in a local part (RFC 5322 3.2.3, RFC 6532 3.2).
fn is_plain(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_graphic() && !"<>()[]\\,;:\"@".contains(c),
        false => !c.is_control() && !c.is_whitespace() && c != char::REPLACEMENT_CHARACTER,
    }
}

fn normal_domain(text: &str) -> Option<String> {
    if let Some(literal) = text.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
        return match literal.get(..5).filter(|it| it.eq_ignore_ascii_case("ipv6:")) {
            Some(_) => Some(format!("[ipv6:{}]", literal[5..].parse::<Ipv6Addr>().ok()?)),
            None => Some(format!("[{}]", literal.parse::<Ipv4Addr>().ok()?)),
        };
    }
    if text.is_ascii() {
        return is_host(text).then(|| text.to_ascii_lowercase());
    }
    let ascii = Uts46::new().to_ascii(
        text.as_bytes(),
        AsciiDenyList::STD3,
        Hyphens::Allow,
        DnsLength::Verify,
    );
    ascii.ok().map(|it| it.into_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_address_has_one_normal_form() {
        for (given, normal) in [
            ("Ana@X.example", "ana@x.example"),
            ("müller@firma.example", "müller@firma.example"),
            ("MÜLLER@firma.example", "müller@firma.example"),
            ("info@müller.example", "info@xn--mller-kva.example"),
            ("info@MÜLLER.example", "info@xn--mller-kva.example"),
            ("info@XN--MLLER-KVA.example", "info@xn--mller-kva.example"),
            ("\"John Doe\"@x.example", "\"john doe\"@x.example"),
            ("\"john.doe\"@x.example", "john.doe@x.example"),
            ("\"a\\\"b\\c\"@x.example", "\"a\\\"bc\"@x.example"),
            ("\"a@b\"@x.example", "\"a@b\"@x.example"),
            ("user@[192.0.2.1]", "user@[192.0.2.1]"),
            ("user@[IPv6:2001:DB8::1]", "user@[ipv6:2001:db8::1]"),
        ] {
            assert_eq!(normal_address(given).as_deref(), Some(normal), "{given}");
        }
        let long = format!("{}@x.example", "a".repeat(ADDRESS_BYTES_MAX));
        for none in [
            "",
            "a",
            "@b",
            "a@",
            "a b@c",
            "a@b c",
            "a@b@c",
            "\"\"@b",
            "\"a\"b\"@c",
            "\"a\\\"@c",
            "\"a>b\"@c",
            "\"a\r\nb\"@c",
            "a\u{fffd}@b",
            "a@\u{fffd}",
            "a@b_c",
            "a@[300.0.0.1]",
            "a@[ipv6:x]",
            "a@[]",
            "a@ü..example",
            long.as_str(),
        ] {
            assert_eq!(normal_address(none), None, "{none}");
        }
    }

    #[test]
    fn addresses_cannot_inject_smtp_commands() {
        for good in ["a@b.example", "a+b@b.example", "o'neil@b.example"] {
            assert!(is_address(good), "{good}");
        }
        for bad in [
            "",
            "a",
            "@b",
            "a@",
            "a@b@c",
            "a b@c",
            "a@b\r\nRCPT TO:<x@y>",
            "<a@b>",
            "ä@b",
            "a@b,c@d",
        ] {
            assert!(!is_address(bad), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn normalization_is_idempotent_and_safe_in_smtp_commands(
            local in "\\PC{0,20}|\"[ -~ü]{0,20}\"", domain in "\\PC{0,20}|[a-zü.-]{1,20}"
        ) {
            if let Some(normal) = normal_address(&format!("{local}@{domain}")) {
                prop_assert_eq!(normal_address(&normal), Some(normal.clone()));
                prop_assert!(!normal.contains(['<', '>', '\r', '\n']), "{}", normal);
            }
        }
    }
}
