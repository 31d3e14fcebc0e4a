//! Parses the command lines of LMTP.

use confab_domain::channels::email_address::{is_address, normal_address};

/// A parsed LMTP command.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LmtpCommand {
    Hello,
    /// Starts a mail. The return path is empty for bounces.
    From {
        return_path: String,
        bytes: Option<u64>,
    },
    /// A recipient address, in lower case.
    To(String),
    Data,
    Reset,
    Nothing,
    Verify,
    Quit,
    /// An invalid command, with the reply to it.
    Wrong(&'static str),
}

const UNKNOWN: LmtpCommand = LmtpCommand::Wrong("500 5.5.1 This is LMTP: no such command");
const MALFORMED: LmtpCommand = LmtpCommand::Wrong("501 5.5.4 Syntax error");
const PARAMETER: LmtpCommand = LmtpCommand::Wrong("555 5.5.4 Unknown parameter");
/// The result for a recipient that is not a valid address, so that no mailbox can have it.
const NO_ADDRESS: LmtpCommand = LmtpCommand::Wrong("550 5.1.1 No such mailbox");
const RETURN_PATH_BYTES_MAX: usize = 254;

impl LmtpCommand {
    /// Parses a line without its line ending.
    pub(super) fn read(line: &[u8]) -> Self {
        let Ok(line) = std::str::from_utf8(line) else { return MALFORMED };
        if line.chars().any(char::is_control) {
            return MALFORMED;
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word.to_ascii_uppercase().as_str() {
            "LHLO" if rest.trim().is_empty() => MALFORMED,
            "LHLO" => Self::Hello,
            "MAIL" => mail(rest),
            "RCPT" => recipient(rest),
            "DATA" if rest.is_empty() => Self::Data,
            "RSET" => Self::Reset,
            "NOOP" => Self::Nothing,
            "VRFY" => Self::Verify,
            "QUIT" => Self::Quit,
            "DATA" => MALFORMED,
            _ => UNKNOWN,
        }
    }
}

fn mail(rest: &str) -> LmtpCommand {
    let Some((path, parameters)) = path(rest, "FROM:") else { return MALFORMED };
    if path.len() > RETURN_PATH_BYTES_MAX {
        return MALFORMED;
    }
    let mut bytes = None;
    for parameter in parameters.split_whitespace() {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        match name.to_ascii_uppercase().as_str() {
            "SIZE" => match value.parse() {
                Ok(size) => bytes = Some(size),
                Err(_) => return MALFORMED,
            },
            "BODY" => {}
            // Addresses and headers in UTF-8 are accepted with or without it (RFC 6531).
            "SMTPUTF8" if value.is_empty() => {}
            _ => return PARAMETER,
        }
    }
    LmtpCommand::From { return_path: path.to_owned(), bytes }
}

fn recipient(rest: &str) -> LmtpCommand {
    let Some((path, parameters)) = path(rest, "TO:") else { return MALFORMED };
    if !parameters.trim().is_empty() {
        return PARAMETER;
    }
    match normal_address(path).filter(|it| is_address(it)) {
        Some(address) => LmtpCommand::To(address),
        None => NO_ADDRESS,
    }
}

/// Returns the text between the `<` and `>` that follow `word`, and the text after `>`.
fn path<'a>(rest: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let begin = rest.get(..word.len()).filter(|it| it.eq_ignore_ascii_case(word))?;
    let rest = rest[begin.len()..].trim_start().strip_prefix('<')?;
    let (path, parameters) = rest.split_once('>')?;
    (parameters.is_empty() || parameters.starts_with(' ')).then_some((path, parameters))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> LmtpCommand {
        LmtpCommand::read(line.as_bytes())
    }

    #[test]
    fn commands_are_parsed_in_any_case_and_invalid_ones_get_their_reply() {
        assert_eq!(read("lhlo mx.example"), LmtpCommand::Hello);
        assert_eq!(read("quit"), LmtpCommand::Quit);
        assert_eq!(read("NOOP anything"), LmtpCommand::Nothing);
        let from = |return_path: &str, bytes| LmtpCommand::From {
            return_path: return_path.to_owned(),
            bytes,
        };
        assert_eq!(read("MAIL FROM:<>"), from("", None));
        assert_eq!(
            read("mail from: <a@x.example> size=7 BODY=8BITMIME"),
            from("a@x.example", Some(7))
        );
        assert_eq!(
            read("RCPT TO:<Help@Shop.example>"),
            LmtpCommand::To("help@shop.example".to_owned())
        );
        assert_eq!(
            read("MAIL FROM:<müller@x.example> SMTPUTF8"),
            from("müller@x.example", None),
            "a sender outside ASCII"
        );
        assert_eq!(
            read("RCPT TO:<help@MÜLLER.example>"),
            LmtpCommand::To("help@xn--mller-kva.example".to_owned())
        );
        for unknown in ["HELO x", "EHLO x", "BDAT 7 LAST", "AUTH PLAIN x", "STARTTLS", "", " ", "X"]
        {
            assert_eq!(read(unknown), UNKNOWN, "{unknown}");
        }
        for malformed in [
            "LHLO",
            "MAIL",
            "MAIL FROM:a@x",
            "MAIL FROM:<a",
            "MAIL FROM:<a>SIZE=1",
            "MAIL FROM:<a> SIZE=x",
            "MAIL TO:<a>",
            "RCPT FROM:<a>",
            "DATA now",
            "MAIL FROM:<a\rb>",
        ] {
            assert_eq!(read(malformed), MALFORMED, "{malformed}");
        }
        assert_eq!(LmtpCommand::read(b"MAIL FROM:<\xff>"), MALFORMED);
        assert_eq!(read("MAIL FROM:<a> RET=FULL"), PARAMETER);
        assert_eq!(read("RCPT TO:<a@x.example> NOTIFY=NEVER"), PARAMETER);
        for nobody in ["RCPT TO:<>", "RCPT TO:<postmaster>", "RCPT TO:<@a,@b:c@d.example>"] {
            assert_eq!(read(nobody), NO_ADDRESS, "{nobody}");
        }
    }
}
