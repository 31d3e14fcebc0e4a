//! Checks log calls: each has a structured field, and the page for operators explains the messages
//! as they are logged.

use std::collections::BTreeSet;

use regex::Regex;

use super::{report, root, sources};

/// Heading of the page's section with the table of messages.
const SECTION: &str = "\n## Log messages\n";

/// A log call in a source file.
pub(super) struct LogCall<'t> {
    /// Byte position in the file.
    pub(super) at: usize,
    level: &'t str,
    /// The message as a literal, which may have line breaks.
    pub(super) message: &'t str,
    has_field: bool,
}

/// Finds log calls.
pub(super) struct LogReader {
    call: Regex,
    string: Regex,
    line_break: Regex,
}

impl LogReader {
    pub(super) fn new() -> Self {
        let regex = |pattern| Regex::new(pattern).expect("a valid pattern");
        Self {
            call: regex(r"\b(?:tracing::)?(trace|debug|info|warn|error)!\("),
            string: regex(r#""((?:[^"\\]|\\(?s:.))*)""#),
            line_break: regex(r"\\\n\s*"),
        }
    }

    /// Returns the log calls of a file. The message is the first string that is neither the value
    /// of a field nor the argument of a function.
    pub(super) fn calls<'t>(&self, text: &'t str) -> Vec<LogCall<'t>> {
        let calls = self.call.captures_iter(text).filter_map(|call| {
            let (whole, level) = (call.get(0)?, call.get(1)?.as_str());
            let inside = &text[whole.end()..];
            self.string.captures_iter(inside).find_map(|string| {
                let (quoted, message) = (string.get(0)?, string.get(1)?.as_str());
                let before = inside[..quoted.start()].trim_end();
                let has_field = before.ends_with(',');
                let at = whole.start();
                (has_field || before.is_empty()).then_some(LogCall {
                    at,
                    level,
                    message,
                    has_field,
                })
            })
        });
        calls.collect()
    }

    /// Returns a message as it is logged.
    fn logged(&self, message: &str) -> String {
        self.line_break.replace_all(message, "").into_owned()
    }
}

#[test]
fn every_log_call_has_a_structured_field() {
    let (reader, mut count, mut bare) = (LogReader::new(), 0, Vec::new());
    for source in sources().iter().filter(|source| !source.is_test()) {
        for call in reader.calls(&source.text) {
            count += 1;
            if !call.has_field {
                bare.push(format!("{}: {}", source.path, call.message));
            }
        }
    }
    assert!(count > 100, "the log calls were found: {count}");
    report("log calls have a structured field", &bare);
}

#[test]
fn the_monitoring_page_explains_each_error_and_quotes_messages_as_they_are_logged() {
    let page = std::fs::read_to_string(root().join("docs/operating/monitoring.md")).expect("page");
    let (_, section) = page.split_once(SECTION).expect("the section of log messages");
    let section = section.split("\n## ").next().unwrap_or(section);
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let explained: BTreeSet<_> = rows.map(|(message, _)| message.to_owned()).collect();
    let reader = LogReader::new();
    let (mut errors, mut logged) = (BTreeSet::new(), BTreeSet::new());
    for source in sources().iter().filter(|source| !source.is_test()) {
        for call in reader.calls(&source.text) {
            let message = reader.logged(call.message);
            if call.level == "error" {
                errors.insert(message.clone());
            }
            if matches!(call.level, "warn" | "error") {
                logged.insert(message);
            }
        }
    }
    let outdated: Vec<_> = explained.difference(&logged).cloned().collect();
    report("the monitoring page quotes warnings and errors as they are logged", &outdated);
    let missing: Vec<_> = errors.difference(&explained).cloned().collect();
    report("the monitoring page explains each error", &missing);
}

#[test]
fn a_field_with_a_text_is_not_the_message() {
    let text = "tracing::warn!(bus = \"nats\", path = %a.join(\"b\"), \"connection \\\n    lost\"); \
                info!(\"stopped\");";
    let reader = LogReader::new();
    let calls = reader.calls(text);
    let found: Vec<_> =
        calls.iter().map(|it| (it.level, reader.logged(it.message), it.has_field)).collect();
    let expected = [("warn", "connection lost", true), ("info", "stopped", false)];
    let expected = expected.map(|(level, message, field)| (level, message.to_owned(), field));
    assert_eq!(found, expected);
}
