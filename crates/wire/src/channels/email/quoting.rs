//! Removes quotations of earlier mails from the end of a reply.
//!
//! Only text that is certainly quoted is removed: a block of lines with `>` at the end, with the
//! line that introduces it, or everything below the separator line that mail programs insert.
//! Replies between or below quoted lines are shown in full.

/// Separator lines of mail programs, in lower case and without their dashes.
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

/// First words of the header lines below a separator.
const FROM: [&str; 8] = ["from:", "von:", "de:", "da:", "van:", "dari:", "fra:", "från:"];

/// Maximum number of lines that introduce a quotation, such as "On Monday, Ana wrote:".
const ANNOUNCED_LINES_MAX: usize = 3;

/// Splits a text into the new text and the quotation below it. If nothing new would remain, all of
/// it is new.
pub(super) fn divided(text: &str) -> (&str, &str) {
    let place = rule(text).or_else(|| block(text));
    match place {
        Some(at) if !text[..at].trim().is_empty() => (text[..at].trim_end(), &text[at..]),
        _ => (text, ""),
    }
}

/// Returns the lines of a text with their positions.
fn lines(text: &str) -> Vec<(usize, &str)> {
    let mut at = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        lines.push((at, line.trim()));
        at += line.len();
    }
    lines
}

/// Returns the position of a separator line above an earlier mail.
fn rule(text: &str) -> Option<usize> {
    let lines = lines(text);
    let is_rule = |at: usize| {
        let line = lines[at].1;
        let inner = line.trim_matches(|c: char| c == '-' || c == '_' || c.is_whitespace());
        let is_drawn = line.len() > inner.len() && line.starts_with(['-', '_']);
        if is_drawn && inner.is_empty() {
            // A line of dashes alone is ambiguous: header lines must follow it.
            let next = lines[at + 1..].iter().map(|it| it.1).find(|it| !it.is_empty());
            return line.len() >= 20 && next.is_some_and(is_head);
        }
        is_drawn && RULES.contains(&inner.to_lowercase().as_str())
    };
    (0..lines.len()).find(|at| is_rule(*at)).map(|at| lines[at].0)
}

fn is_head(line: &str) -> bool {
    let line = line.trim_start_matches('*').to_lowercase();
    FROM.iter().any(|it| line.starts_with(it))
}

/// Returns the start of a quoted block at the end of the text, including its introduction.
fn block(text: &str) -> Option<usize> {
    let lines = lines(text);
    let is_quoted = |it: &(usize, &str)| it.1.starts_with('>');
    let after = lines.iter().rposition(|it| !is_quoted(it) && !it.1.is_empty()).map(|it| it + 1)?;
    let first = (after..lines.len()).find(|at| is_quoted(&lines[*at]))?;
    let above = (0..first).rev().find(|at| !lines[*at].1.is_empty());
    let Some(last) = above.filter(|at| lines[*at].1.ends_with(':')) else {
        return Some(lines[first].0);
    };
    // "On … wrote:" may be broken into several lines.
    let run = (0..=last).rev().take(ANNOUNCED_LINES_MAX).take_while(|at| !lines[*at].1.is_empty());
    let begin = run.filter(|at| opens(lines[*at].1)).min().unwrap_or(last);
    Some(lines[begin].0)
}

/// Whether a line begins with the first word of an introduction.
fn opens(line: &str) -> bool {
    let line = line.to_lowercase();
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
            "A line\n____________________________\nand more below",
            "",
            "\n\n>",
        ] {
            assert_eq!(divided(text), (text, ""), "{text:?}");
        }
    }
}
