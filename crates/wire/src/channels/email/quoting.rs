//! What a reply quotes of earlier mails is taken off its end.
//!
//! Only what is certainly quoted goes: a block of lines with `>` that nothing follows, with the
//! line that announces it, or all below the line that mail programs draw above the earlier mail.
//! Who answers between the lines, or below them, is shown whole.

/// Lines that mail programs put above the earlier mail, in lower case and without their dashes.
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

/// How the lines of a head begin that follow a drawn line.
const FROM: [&str; 8] = ["from:", "von:", "de:", "da:", "van:", "dari:", "fra:", "från:"];

/// Bytes of the longest of these lines.
const RULE_BYTES_MAX: usize = 64;

/// Characters that tell how a line begins.
const BEGINNING_CHARS: usize = 8;

/// How many lines announce a quotation, such as "On Monday, Ana wrote:".
const ANNOUNCED_LINES_MAX: usize = 3;

/// The new words, and what is quoted below them. If nothing new would be left, all is new.
pub(super) fn divided(text: &str) -> (&str, &str) {
    let place = rule(text).or_else(|| block(text));
    match place {
        Some(at) if !text[..at].trim().is_empty() => (text[..at].trim_end(), &text[at..]),
        _ => (text, ""),
    }
}

/// The trimmed lines of a text, each with its position. Nothing is collected: a mail can have
/// millions of empty lines.
fn lines(text: &str) -> impl DoubleEndedIterator<Item = (usize, &str)> + Clone {
    let begin = text.as_ptr() as usize;
    text.split_inclusive('\n').map(move |line| (line.as_ptr() as usize - begin, line.trim()))
}

/// The position of a drawn line above an earlier mail.
fn rule(text: &str) -> Option<usize> {
    let mut lines = lines(text);
    while let Some((at, line)) = lines.next() {
        if !line.starts_with(['-', '_']) {
            continue;
        }
        let inner = line.trim_matches(|c: char| c == '-' || c == '_' || c.is_whitespace());
        let is_rule = match inner.is_empty() {
            // A line alone may be anything: a head must follow it.
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

/// The first characters of a line, in lower case: a line can be as long as the mail.
fn beginning(line: &str) -> String {
    line.chars().take(BEGINNING_CHARS).flat_map(char::to_lowercase).collect()
}

/// The position of a block of quoted lines that ends the text, including what announces it.
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

/// Words that such an announcement begins with.
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
    fn what_is_quoted_below_is_cut_off() {
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
    fn what_is_answered_between_the_lines_stays_whole() {
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
