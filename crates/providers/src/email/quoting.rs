//! Removes quotations of earlier mails from the end of a reply.
//!
//! Only text that is certainly quoted is removed: a block of lines with `>` at the end, with the
//! line that introduces it, or everything below the separator line that mail programs insert.
//! Replies between or below quoted lines are shown in full.

/// Texts of the separator lines that mail programs insert above a quoted mail, in lower case and
/// without their dashes.
const RULES: [&str; 8] = [
    "original message",
    "ursprüngliche nachricht",
    "message d'origine",
    "mensaje original",
    "mensagem original",
    "messaggio originale",
    "pesan asli",
    "oorspronkelijk bericht",
];

/// First words, in several languages, of the header lines that mail programs insert below a
/// separator line.
const FROM: [&str; 8] = ["from:", "von:", "de:", "da:", "van:", "dari:", "fra:", "från:"];

/// Maximum size in bytes of the text of a separator line, without its dashes.
const RULE_BYTES_MAX: usize = 64;

/// Number of characters at the beginning of a line that are compared with known words.
const BEGINNING_CHARS: usize = 8;

/// Maximum number of lines that introduce a quotation, such as "On Monday, Ana wrote:".
const ANNOUNCED_LINES_MAX: usize = 3;

/// Splits the text of a mail into the new text and the quotation below it. If the quotation would
/// be the whole text, the whole text counts as new.
pub(super) fn divided(text: &str) -> (&str, &str) {
    let place = rule(text).or_else(|| block(text));
    match place {
        Some(at) if !text[..at].trim().is_empty() => (text[..at].trim_end(), &text[at..]),
        _ => (text, ""),
    }
}

/// Returns an iterator over the trimmed lines of a text and their positions. The lines are not
/// collected, because a mail can have millions of empty lines.
fn lines(text: &str) -> impl DoubleEndedIterator<Item = (usize, &str)> + Clone {
    let begin = text.as_ptr() as usize;
    text.split_inclusive('\n').map(move |line| (line.as_ptr() as usize - begin, line.trim()))
}

/// Returns the position of the first separator line above a quoted mail.
fn rule(text: &str) -> Option<usize> {
    let mut lines = lines(text);
    while let Some((at, line)) = lines.next() {
        if !line.starts_with(['-', '_']) {
            continue;
        }
        let inner = line.trim_matches(|c: char| c == '-' || c == '_' || c.is_whitespace());
        let is_rule = match inner.is_empty() {
            // A line of dashes or underscores alone may mean anything, so a header line must follow
            // it.
            true => {
                let next = lines.clone().map(|it| it.1).find(|it| !it.is_empty());
                line.len() >= 20 && next.is_some_and(is_head)
            }
            false => inner.len() <= RULE_BYTES_MAX && RULES.contains(&&*inner.to_lowercase()),
        };
        if is_rule {
            return Some(at);
        }
    }
    None
}

fn is_head(line: &str) -> bool {
    let line = beginning(line.trim_start_matches('*'));
    FROM.iter().any(|it| line.starts_with(it))
}

/// Returns the first `BEGINNING_CHARS` characters of a line in lower case, because a line can be as
/// long as the mail.
fn beginning(line: &str) -> String {
    line.chars().take(BEGINNING_CHARS).flat_map(char::to_lowercase).collect()
}

/// Returns the position of the quoted block at the end of the text, or of the lines that introduce
/// it.
fn block(text: &str) -> Option<usize> {
    let mut upward = lines(text).rev();
    let mut first = None;
    let above = loop {
        let (at, line) = upward.next()?;
        match line.starts_with('>') {
            true => first = Some(at),
            false if line.is_empty() => {}
            false => break (at, line),
        }
    };
    if !above.1.ends_with(':') {
        return first;
    }
    // "On … wrote:" may be broken into several lines.
    let run = std::iter::once(above).chain(upward).take(ANNOUNCED_LINES_MAX);
    let run = run.take_while(|it| !it.1.is_empty());
    let begin = run.filter(|it| opens(it.1)).map(|it| it.0).min();
    first.map(|_| begin.unwrap_or(above.0))
}

/// Whether a line begins like the introduction of a quotation in one of several languages, such as
/// `On` or `Am`.
fn opens(line: &str) -> bool {
    let line = beginning(line);
    ["on ", "am ", "le ", "el ", "em ", "il ", "op ", "pada ", "den "]
        .iter()
        .any(|it| line.starts_with(it))
}

#[cfg(test)]
mod tests {
    use super::divided;

    #[test]
    fn a_quotation_at_the_end_is_removed() {
        for (text, new) in [
            ("Yes.\n\nOn Mon, Ana wrote:\n> Is it there?\n> A.\n", "Yes."),
            (
                "Yes.\n\nOn Mon, 3 Nov 2026 at 10:00, Ana Example\n<ana@x.example> wrote:\n\n> ?\n",
                "Yes.",
            ),
            ("Ja.\n\nAm 3.11.26 um 10 Uhr schrieb Ana:\n> ?", "Ja."),
            ("Yes.\n-----Original Message-----\nFrom: Ana\nSubject: x\n\nIs it?", "Yes."),
            ("Yes.\n________________________________\nFrom: Ana\nIs it?", "Yes."),
            ("Yes.\n> Is it?", "Yes."),
        ] {
            let (shown, quoted) = divided(text);
            assert_eq!(shown, new);
            assert!(!quoted.is_empty() && text.ends_with(quoted));
        }
    }

    #[test]
    fn text_with_replies_between_quoted_lines_is_not_shortened() {
        for text in [
            "> Is it there?\nYes.\n> And the other?\nNo.",
            "> Is it there?\n> A.",
            "No quotation at all.\n-- \nAna",
            "Announced:\n\n",
            "A line\n____________________________\nand more below",
            "",
            "\n\n>",
        ] {
            assert_eq!(divided(text), (text, ""), "{text:?}");
        }
    }
}
