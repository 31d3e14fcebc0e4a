//! The values before and after a change, as an audit entry shows them.

use std::fmt::Write;

use crate::json_text::JsonText;
use crate::limits;

/// The values before and after a change. Equal values are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences {
    before: Vec<(&'static str, AuditValue)>,
    after: Vec<(&'static str, AuditValue)>,
}

impl Differences {
    /// Adds the values before and after a change, if they differ.
    pub fn of<T: Into<AuditValue>>(mut self, name: &'static str, before: T, after: T) -> Self {
        let (before, after) = (before.into(), after.into());
        if before != after {
            self.before.push((name, before));
            self.after.push((name, after));
        }
        self
    }

    /// Adds the texts before and after a change, if they differ. If they differ only after the part
    /// that an audit entry shows, records "changed" instead.
    pub fn text(self, name: &'static str, before: Option<&str>, after: Option<&str>) -> Self {
        let is_cut_alike = before != after && before.map(shown) == after.map(shown);
        self.secret(name, is_cut_alike).of(name, before, after)
    }

    /// Adds a value that did not exist before the change.
    pub fn now(mut self, name: &'static str, after: impl Into<AuditValue>) -> Self {
        self.after.push((name, after.into()));
        self
    }

    /// Adds a value that no longer exists after the change.
    pub fn was(mut self, name: &'static str, before: impl Into<AuditValue>) -> Self {
        self.before.push((name, before.into()));
        self
    }

    /// Records that a secret value changed, without the value.
    pub fn secret(self, name: &'static str, is_changed: bool) -> Self {
        if is_changed { self.now(name, "changed") } else { self }
    }

    /// Adds the URLs before and after a change, if they differ. Includes only scheme and host,
    /// because paths and queries often contain keys.
    pub fn address(self, name: &'static str, before: Option<&str>, after: Option<&str>) -> Self {
        let (was, is) = (before.map(origin), after.map(origin));
        match was == is {
            true => self.secret(name, before != after),
            false => self.of(name, was, is),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    /// Converts the values before and those after the change to JSON objects; `None` if there are
    /// none.
    pub(crate) fn into_json(self) -> (Option<JsonText>, Option<JsonText>) {
        (object(&self.before), object(&self.after))
    }
}

fn origin(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}")
}

/// A value as an audit entry shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditValue {
    Nothing,
    Flag(bool),
    Number(i64),
    Text(String),
    List(Vec<String>),
}

impl AuditValue {
    fn text(text: &str) -> Self {
        Self::Text(shown(text))
    }
}

/// Shortens a text to [`limits::AUDIT_TEXT_CHARS_MAX`] characters and replaces words that look like
/// e-mail addresses.
pub(crate) fn shown(text: &str) -> String {
    let text = match text.chars().count() > limits::AUDIT_TEXT_CHARS_MAX {
        true => text.chars().take(limits::AUDIT_TEXT_CHARS_MAX - 1).chain(['…']).collect(),
        false => text.to_owned(),
    };
    if !text.contains('@') {
        return text;
    }
    let is_address = |word: &str| word.find('@').is_some_and(|at| at > 0 && at + 1 < word.len());
    let word = |word| if is_address(word) { "(e-mail address)" } else { word };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

impl From<&str> for AuditValue {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for AuditValue {
    fn from(text: String) -> Self {
        Self::text(&text)
    }
}

impl From<bool> for AuditValue {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<i64> for AuditValue {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for AuditValue {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<Vec<String>> for AuditValue {
    fn from(list: Vec<String>) -> Self {
        Self::List(list.iter().map(|text| shown(text)).collect())
    }
}

impl<T: Into<AuditValue>> From<Option<T>> for AuditValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nothing, Into::into)
    }
}

fn object(pairs: &[(&'static str, AuditValue)]) -> Option<JsonText> {
    if pairs.is_empty() {
        return None;
    }
    let pairs = pairs.iter().map(|(name, value)| format!("{}:{}", quoted(name), json(value)));
    let pairs: Vec<_> = pairs.collect();
    Some(JsonText::from_checked(format!("{{{}}}", pairs.join(","))))
}

fn json(value: &AuditValue) -> String {
    match value {
        AuditValue::Nothing => "null".to_owned(),
        AuditValue::Flag(flag) => flag.to_string(),
        AuditValue::Number(number) => number.to_string(),
        AuditValue::Text(text) => quoted(text),
        AuditValue::List(list) => {
            let items: Vec<_> = list.iter().map(|text| quoted(text)).collect();
            format!("[{}]", items.join(","))
        }
    }
}

/// Quotes a text as a JSON string (RFC 8259, section 7).
fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            c if c < ' ' => drop(write!(json, "\\u{:04x}", c as u32)),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown_of(differences: Differences) -> (Option<String>, Option<String>) {
        let (before, after) = differences.into_json();
        (before.map(|it| it.as_str().to_owned()), after.map(|it| it.as_str().to_owned()))
    }

    #[test]
    fn only_differences_are_shown_as_json() {
        let differences = Differences::default()
            .of("name", "A \"b\"\n", "C")
            .of("is_on", true, true)
            .of("max", None::<u32>, Some(3))
            .of("channels", vec![], vec!["1".to_owned(), "2".to_owned()]);
        let (before, after) = shown_of(differences);
        let expected = r#"{"name":"A \"b\"\u000a","max":null,"channels":[]}"#;
        assert_eq!(before.as_deref(), Some(expected));
        assert_eq!(after.as_deref(), Some(r#"{"name":"C","max":3,"channels":["1","2"]}"#));
        assert!(Differences::default().of("x", 1_i64, 1).is_empty());
        assert_eq!(shown_of(Differences::default()), (None, None));
    }

    #[test]
    fn secrets_url_paths_and_email_addresses_are_not_shown() {
        let hidden = Differences::default().secret("password", true).secret("email", false);
        assert_eq!(shown_of(hidden), (None, Some(r#"{"password":"changed"}"#.to_owned())));
        let url = |before, after| shown_of(Differences::default().address("url", before, after)).1;
        let (one, other) = ("https://k:s@a.example/key1?t=2", "https://a.example/key2");
        assert_eq!(url(Some(one), Some(one)), None);
        assert_eq!(url(Some(one), Some(other)), Some(r#"{"url":"changed"}"#.to_owned()));
        let moved = url(Some("https://b.example"), Some(one));
        assert_eq!(moved, Some(r#"{"url":"https://a.example"}"#.to_owned()));
        assert_eq!(shown("Ana ana@shop.example (2)"), "Ana (e-mail address) (2)");
        assert_eq!(shown("@ana ana@"), "@ana ana@");
        assert_eq!(shown(&"x".repeat(5_000)).chars().count(), limits::AUDIT_TEXT_CHARS_MAX);
    }
}
