//! Measures the English of comments, messages and API texts, and fails when a marker of unclear
//! prose occurs more often than it does in well-written projects.
//!
//! The markers only point at places to read. STYLE.md, "Prose", describes what to write instead.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use regex::Regex;
use serde_json::Value;

use super::log_calls::LogReader;
use super::{Source, files, root, sources};

/// A marker with its bound: a share of texts in percent, or occurrences per 1,000 words.
struct Marker {
    name: &'static str,
    bound: f64,
    pattern: Regex,
    /// Text that a match must not be followed by.
    unless_followed_by: Option<Regex>,
    is_share_of_texts: bool,
}

/// Fewer occurrences of a marker never fail.
const IGNORED_OCCURRENCES: usize = 3;
/// Places that a failure lists.
const PLACES_SHOWN: usize = 12;

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid pattern")
}

fn markers() -> Vec<Marker> {
    let per_words = |name, bound, pattern: &str| Marker {
        name,
        bound,
        pattern: regex(pattern),
        unless_followed_by: None,
        is_share_of_texts: false,
    };
    vec![
        Marker {
            is_share_of_texts: true,
            unless_followed_by: Some(regex("^ to ")),
            ..per_words(
                "question opening",
                4.0,
                r"(?i)^(what|who|whom|whose|where|how|why|which|until when|from where|by whom|to whom|of whom|on which|in which|those)\b",
            )
        },
        per_words(
            "person for a part",
            0.3,
            r"(?i)\b(somebody|nobody|anybody|everybody|someone else|whoever|whomever|whichever|whatever|those who|who(ever)? (asks|looks|waits|listens|watches))\b",
        ),
        per_words(
            "clause for a noun",
            1.0,
            r"(?i)\bwhat (is|was|are|were|has|had|it|they|a|the|we|you)\b",
        ),
        per_words(
            "tell/hear/say",
            1.5,
            r"(?i)\b(tells?|told|telling|hears?|heard|hearing|says?|said|saying)\b",
        ),
        per_words(
            "archaic",
            0.3,
            r"(?i)\b(shall|anew|meanwhile|any more|no more|thereof|therein|beside|upon|be had|of one's own)\b",
        ),
        Marker {
            unless_followed_by: Some(regex(r"^ \w")),
            ..per_words("dangling", 1.0, r"(?i)(\bthe same\b|\bof (it|them|those|that)\b\.?$)")
        },
    ]
}

impl Marker {
    fn occurrences(&self, text: &str) -> usize {
        let is_excused = |end: usize| {
            self.unless_followed_by.as_ref().is_some_and(|after| after.is_match(&text[end..]))
        };
        self.pattern.find_iter(text).filter(|found| !is_excused(found.end())).count()
    }
}

/// A text with the place where it is.
struct Text {
    place: String,
    text: String,
}

/// The texts of one kind.
#[derive(Default)]
struct Texts(Vec<Text>);

impl Texts {
    fn words(&self) -> usize {
        self.0.iter().map(|it| it.text.split_whitespace().count()).sum::<usize>().max(1)
    }
}

type Kinds = BTreeMap<&'static str, Texts>;

/// Finds texts in source files.
struct Reader {
    logs: LogReader,
    string: Regex,
    error_text: Regex,
    help_text: Regex,
    test_name: Regex,
    web_comment: Regex,
    code_span: Regex,
    address: Regex,
}

impl Reader {
    fn new() -> Self {
        Self {
            logs: LogReader::new(),
            string: regex(r#""((?:[^"\\]|\\(?s:.))*)""#),
            error_text: regex(r#"#\[error\(\s*"((?:[^"\\]|\\(?s:.))*)""#),
            help_text: regex(r#"\.(?:about|long_about|help)\(\s*"((?:[^"\\]|\\(?s:.))*)""#),
            test_name: regex(
                r"#\[(?:tokio::)?test[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:async )?fn (\w+)",
            ),
            web_comment: regex(r"(?m)/\*((?s:.*?))\*/|((?:^\s*//[^\n]*\n?)+)"),
            code_span: regex("``?[^`]*``?"),
            address: regex(r"\]\([^)]*\)|https?://\S+"),
        }
    }

    /// Adds a text without its code spans, links and addresses.
    fn add(&self, kinds: &mut Kinds, kind: &'static str, place: String, text: &str) {
        let text = self.code_span.replace_all(text, "");
        let text = self.address.replace_all(&text, "]").into_owned();
        kinds.entry(kind).or_default().0.push(Text { place, text });
    }

    fn rust(&self, kinds: &mut Kinds, source: &Source) {
        let place = |at: usize| format!("{}:{}", source.path, line_of(&source.text, at));
        for found in self.test_name.captures_iter(&source.text) {
            let name = &found[1];
            self.add(kinds, "test name", place(start(&found)), &name.replace('_', " "));
        }
        if source.is_test() || source.is_in("crates/test-servers/") {
            return;
        }
        for (line, is_doc, text) in rust_comments(&source.text) {
            let kind = if is_doc { "doc" } else { "comment" };
            self.add(kinds, kind, format!("{}:{line}", source.path), &text);
        }
        for call in self.logs.calls(&source.text) {
            self.add(kinds, "log message", place(call.at), call.message);
        }
        for (kind, pattern) in [("error text", &self.error_text), ("help text", &self.help_text)] {
            for found in pattern.captures_iter(&source.text) {
                self.add(kinds, kind, place(start(&found)), &found[1]);
            }
        }
        if source.path.ends_with("config/table.rs") {
            for found in self.string.captures_iter(&source.text) {
                if found[1].split_whitespace().count() > 3 {
                    self.add(kinds, "help text", place(start(&found)), &found[1]);
                }
            }
        }
    }

    fn typescript(&self, kinds: &mut Kinds, source: &Source) {
        for found in self.web_comment.captures_iter(&source.text) {
            let body = found.get(1).or_else(|| found.get(2)).map_or("", |it| it.as_str());
            let words: Vec<_> = body
                .lines()
                .map(|line| line.trim().trim_start_matches(['/', '*']).trim())
                .filter(|line| !line.is_empty())
                .collect();
            if !words.is_empty() {
                let place = format!("{}:{}", source.path, line_of(&source.text, start(&found)));
                self.add(kinds, "web comment", place, &words.join(" "));
            }
        }
    }
}

fn start(found: &regex::Captures<'_>) -> usize {
    found.get(0).map_or(0, |it| it.start())
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Blocks of comment lines: first line, whether it is documentation, and the text.
fn rust_comments(text: &str) -> Vec<(usize, bool, String)> {
    let mut blocks: Vec<(usize, &str, String)> = Vec::new();
    let mut last_line = 0;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let marks = ["//!", "///", "//"];
        let Some(mark) = marks.into_iter().find(|mark| line.starts_with(mark)) else { continue };
        let words = line[mark.len()..].trim();
        match blocks.last_mut() {
            Some((_, open, block)) if *open == mark && last_line == at => {
                block.push(' ');
                block.push_str(words);
            }
            _ => blocks.push((at + 1, mark, words.to_owned())),
        }
        last_line = at + 1;
    }
    blocks.into_iter().map(|(line, mark, block)| (line, mark != "//", block)).collect()
}

fn api_texts(node: &Value, found: &mut Vec<String>) {
    match node {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(text) if matches!(name.as_str(), "summary" | "description") => {
                        found.push(text.clone());
                    }
                    _ => api_texts(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| api_texts(item, found)),
        _ => {}
    }
}

fn all_texts() -> Kinds {
    let (reader, mut kinds) = (Reader::new(), Kinds::new());
    for source in sources() {
        reader.rust(&mut kinds, &source);
    }
    for source in files("web", &["ts", "tsx"]) {
        let is_test = source.is_in("web/e2e/") || source.path.contains(".test.");
        if !is_test && !source.path.ends_with(".d.ts") {
            reader.typescript(&mut kinds, &source);
        }
    }
    let document = std::fs::read_to_string(root().join("web/openapi.json")).expect("the document");
    let mut texts = Vec::new();
    api_texts(&serde_json::from_str(&document).expect("JSON"), &mut texts);
    texts.sort();
    texts.dedup();
    for text in texts {
        reader.add(&mut kinds, "api text", "web/openapi.json".to_owned(), &text);
    }
    kinds
}

#[test]
fn prose_stays_below_the_bounds_of_well_written_projects() {
    let (markers, mut report) = (markers(), String::new());
    for (kind, texts) in all_texts() {
        for marker in &markers {
            let counts: Vec<_> =
                texts.0.iter().map(|it| (marker.occurrences(&it.text), it)).collect();
            let total = counts.iter().map(|(count, _)| count).sum::<usize>();
            let value = if marker.is_share_of_texts {
                100.0 * total as f64 / texts.0.len() as f64
            } else {
                1000.0 * total as f64 / texts.words() as f64
            };
            if value <= marker.bound || total < IGNORED_OCCURRENCES {
                continue;
            }
            let Marker { name, bound, .. } = marker;
            writeln!(report, "{kind} / {name}: {value:.2}, at most {bound:.2}").expect("text");
            let places = counts.iter().filter(|(count, _)| *count > 0).take(PLACES_SHOWN);
            for (_, Text { place, text }) in places {
                writeln!(report, "    {place} {text}").expect("text");
            }
        }
    }
    assert!(report.is_empty(), "STYLE.md, \"Prose\", describes what to write instead:\n{report}");
}

#[test]
fn the_markers_find_what_they_are_for() {
    let found = |text: &str| -> Vec<&'static str> {
        markers().iter().filter(|it| it.occurrences(text) > 0).map(|it| it.name).collect()
    };
    assert_eq!(found("Who waits for the rest."), ["question opening", "person for a part"]);
    assert_eq!(found("How to start the server."), [""; 0]);
    assert_eq!(found("Somebody looks at it anew."), ["person for a part", "archaic"]);
    assert_eq!(
        found("Returns what is stored, and says so."),
        ["clause for a noun", "tell/hear/say"]
    );
    assert_eq!(found("The same for readers of it."), ["dangling"]);
    assert_eq!(found("Closes the same connection."), ["dangling"; 0]);
    let comments = rust_comments("/// One\n/// two.\nfn a() {} // not\n    // Three.\n//! Four.\n");
    let blocks: Vec<_> =
        comments.iter().map(|(at, doc, text)| (*at, *doc, text.as_str())).collect();
    assert_eq!(blocks, [(1, true, "One two."), (4, false, "Three."), (5, true, "Four.")]);
}
