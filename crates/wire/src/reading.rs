//! Reads the fields of a request and collects all problems, not only the first.

use std::borrow::Cow;
use std::fmt;

use confab_domain::field_problem::FieldProblem;
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::check_text;
use confab_domain::name;
use confab_domain::refusal::Refusal;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use confab_domain::json_check::check_json;

/// The JSON text of a field's value; empty if the field is absent or `null`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FieldJson<'a>(Option<&'a str>);

impl<'de: 'a, 'a> Deserialize<'de> for FieldJson<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(deserializer).map(|raw| FieldJson::from_json(raw.get()))
    }
}

impl<'a> FieldJson<'a> {
    fn from_json(text: &'a str) -> Self {
        FieldJson(Some(text).filter(|text| *text != "null"))
    }

    pub(crate) fn is_absent(self) -> bool {
        self.0.is_none()
    }

    /// Wraps JSON text that this crate has written itself.
    pub(crate) fn of_text(json: &'a str) -> Self {
        Self::from_json(json)
    }

    /// Wraps a JSON text that has been checked.
    pub(crate) fn of(json: &'a JsonText) -> Self {
        Self::from_json(json.as_str())
    }

    /// Whether the value is a JSON object.
    pub(crate) fn is_object(self) -> bool {
        self.0.is_some_and(|text| text.starts_with('{'))
    }

    /// Whether the value is an empty string.
    pub(crate) fn is_empty_text(self) -> bool {
        self.0 == Some("\"\"")
    }

    /// Whether the value is an empty list, with or without whitespace.
    pub(crate) fn is_empty_list(self) -> bool {
        let inner = self.0.and_then(|text| text.strip_prefix('[')?.strip_suffix(']'));
        inner.is_some_and(|inner| inner.trim().is_empty())
    }

    fn is_string(text: &str) -> bool {
        text.starts_with('"')
    }
}

/// Collects the problems of a request while its fields are read.
#[derive(Default)]
pub(crate) struct FieldReader {
    problems: Vec<FieldProblem>,
}

impl FieldReader {
    /// Records a problem and returns `None`.
    pub(crate) fn wrong<T>(&mut self, field: &str, problem: impl Into<String>) -> Option<T> {
        self.problems.push(FieldProblem::new(field, problem));
        None
    }

    /// Returns the value, or records its problem.
    pub(crate) fn check<T>(&mut self, value: Result<T, FieldProblem>) -> Option<T> {
        value.map_err(|problem| self.problems.push(problem)).ok()
    }

    /// Records a missing value as a problem, unless the field already has one.
    pub(crate) fn needed<T>(&mut self, field: &str, value: Option<T>) -> Option<T> {
        if value.is_none() && !self.problems.iter().any(|p| p.field == field) {
            self.problems.push(FieldProblem::new(field, "is required"));
        }
        value
    }

    /// Returns the refusal with all problems. Call it only if there is a problem.
    pub(crate) fn refusal(self) -> Refusal {
        Refusal::Invalid(self.problems)
    }

    /// Fails if any problem was recorded.
    pub(crate) fn finish(self) -> Result<(), Refusal> {
        if self.problems.is_empty() { Ok(()) } else { Err(self.refusal()) }
    }

    /// Reads a string. NUL is refused, because not every store can hold it.
    pub(crate) fn text(&mut self, field: &str, given: FieldJson<'_>) -> Option<String> {
        let json = given.0?;
        if !FieldJson::is_string(json) {
            return self.wrong(field, "must be a string");
        }
        match serde_json::from_str::<String>(json) {
            Ok(text) if text.contains('\0') => {
                self.wrong(field, "must not contain the NUL character")
            }
            Ok(text) => Some(text),
            Err(_) => self.wrong(field, "is not a valid string"),
        }
    }

    /// Reads a string of at most `chars_max` characters.
    pub(crate) fn short_text(
        &mut self,
        field: &str,
        given: FieldJson<'_>,
        chars_max: usize,
    ) -> Option<String> {
        let text = self.text(field, given)?;
        self.short(field, text, chars_max)
    }

    /// Reads a display name of at most `chars_max` characters.
    pub(crate) fn name(
        &mut self,
        field: &str,
        given: FieldJson<'_>,
        chars_max: usize,
    ) -> Option<String> {
        let text = self.short_text(field, given, chars_max)?;
        self.check(name::check(field, &text)).map(|()| text)
    }

    /// Reads a string, or the text of a number or a boolean.
    pub(crate) fn short_value(
        &mut self,
        field: &str,
        given: FieldJson<'_>,
        chars_max: usize,
    ) -> Option<String> {
        match given.0?.as_bytes() {
            [b'-' | b'0'..=b'9' | b't' | b'f', ..] => {
                self.short(field, given.0?.to_owned(), chars_max)
            }
            _ => self.short_text(field, given, chars_max),
        }
    }

    /// Checks that a text has at most `chars_max` characters.
    pub(crate) fn short(&mut self, field: &str, text: String, chars_max: usize) -> Option<String> {
        if text.chars().count() > chars_max {
            return self.wrong(field, format!("must have at most {chars_max} characters"));
        }
        Some(text)
    }

    /// Reads a string; an empty one counts as missing.
    pub(crate) fn filled_text(&mut self, field: &str, given: FieldJson<'_>) -> Option<String> {
        self.text(field, given).filter(|text| !text.is_empty())
    }

    /// Reads a string or an integer as text, for room ids.
    pub(crate) fn key(&mut self, field: &str, given: FieldJson<'_>) -> Option<String> {
        let json = given.0?;
        if FieldJson::is_string(json) {
            return self.text(field, given);
        }
        match json.parse::<u64>() {
            Ok(number) => Some(number.to_string()),
            Err(_) => self.wrong(field, "must be a string or an integer"),
        }
    }

    /// Reads an integer, or a string that contains one.
    pub(crate) fn integer(&mut self, field: &str, given: FieldJson<'_>) -> Option<i64> {
        let json = given.0?;
        let decoded =
            if FieldJson::is_string(json) { self.text(field, given)? } else { json.to_owned() };
        match decoded.trim().parse() {
            Ok(number) => Some(number),
            Err(_) => self.wrong(field, "must be an integer"),
        }
    }

    /// Reads an integer like [`Self::integer`], but treats a malformed value as missing. An integer
    /// that is too large is still a problem.
    pub(crate) fn lenient_integer(&mut self, field: &str, given: FieldJson<'_>) -> Option<i64> {
        let digits = given.0?.trim_matches('"').trim();
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && digits.parse::<i64>().is_err() {
            return self.wrong(field, format!("must be at most {}", i64::MAX));
        }
        // A separate reading, because other problems are ignored.
        Self::default().integer(field, given)
    }

    /// Reads a number from `-most` to `most`; also accepts a string that contains one.
    pub(crate) fn number_within(
        &mut self,
        field: &str,
        given: FieldJson<'_>,
        most: f64,
    ) -> Option<f64> {
        // Some clients send a number as a string.
        match given.0?.trim_matches('"').trim().parse::<f64>() {
            Ok(number) if number.abs() <= most => Some(number),
            _ => self.wrong(field, format!("must be a number from -{most} to {most}")),
        }
    }

    /// Reads a boolean, or one of the words (in any case) and digits that forms send for it.
    pub(crate) fn boolean(&mut self, field: &str, given: FieldJson<'_>) -> Option<bool> {
        match given.0?.trim_matches('"') {
            "1" => Some(true),
            "0" | "" => Some(false),
            word if word.eq_ignore_ascii_case("true") => Some(true),
            word if word.eq_ignore_ascii_case("false") => Some(false),
            _ => self.wrong(field, "must be true or false"),
        }
    }

    /// Reads strings: a JSON list, a string that contains one, or a single string.
    pub(crate) fn texts(&mut self, field: &str, given: FieldJson<'_>) -> Option<Vec<String>> {
        let json = self.opened(field, given, false)?;
        if FieldJson::is_string(&json) {
            return self.text(field, FieldJson(Some(&json))).map(|text| vec![text]);
        }
        match serde_json::from_str::<Vec<String>>(&json) {
            Ok(texts) if texts.iter().any(|text| text.contains('\0')) => {
                self.wrong(field, "must not contain the NUL character")
            }
            Ok(texts) => Some(texts),
            Err(_) => self.wrong(field, "must be a list of strings"),
        }
    }

    /// Reads strings or integers as texts, for lists of room ids.
    pub(crate) fn keys(&mut self, field: &str, given: FieldJson<'_>) -> Option<Vec<String>> {
        let json = self.opened(field, given, false)?;
        if !json.starts_with('[') {
            return self.key(field, FieldJson(Some(&json))).map(|text| vec![text]);
        }
        let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(&json) else {
            return self.wrong(field, "must be a list");
        };
        items.into_iter().map(|item| self.key(field, FieldJson(Some(item.get())))).collect()
    }

    /// Reads any JSON value. A string must contain a JSON object or list, which is then the value.
    pub(crate) fn json(&mut self, field: &str, given: FieldJson<'_>) -> Option<JsonText> {
        self.opened(field, given, true).map(JsonText::from_checked)
    }

    /// Reads any JSON value. If a string contains a JSON object or list, that is the value.
    pub(crate) fn free_json(&mut self, field: &str, given: FieldJson<'_>) -> Option<JsonText> {
        self.opened(field, given, false).map(JsonText::from_checked)
    }

    /// Reads a JSON object, or a string that contains one.
    pub(crate) fn json_object(&mut self, field: &str, given: FieldJson<'_>) -> Option<JsonText> {
        let json = self.opened(field, given, false).filter(|json| json != "\"\"")?;
        if !json.starts_with('{') {
            return self.wrong(field, "must be a JSON object");
        }
        Some(JsonText::from_checked(json))
    }

    /// Records a problem if a JSON value has more than `bytes_max` bytes.
    pub(crate) fn check_bytes(&mut self, field: &str, json: Option<&JsonText>, bytes_max: usize) {
        if json.is_some_and(|json| json.as_str().len() > bytes_max) {
            self.wrong::<()>(field, format!("must have at most {bytes_max} bytes"));
        }
    }

    /// Returns the JSON value; more than `bytes_max` bytes are a problem.
    pub(crate) fn within_bytes(
        &mut self,
        field: &str,
        json: Option<JsonText>,
        bytes_max: usize,
    ) -> Option<JsonText> {
        self.check_bytes(field, json.as_ref(), bytes_max);
        json
    }

    /// Reads a JSON object and refuses repeated keys.
    pub(crate) fn object<'a>(&mut self, field: &str, given: FieldJson<'a>) -> Option<Object<'a>> {
        let json = given.0?;
        match serde_json::from_str(json) {
            Ok(Entries(entries)) if json.starts_with('{') => {
                // Readers differ in which of two values they use: the value checked here might not
                // be the one shown there.
                if let Some(key) = repeated(&entries) {
                    return self.wrong(field, format!("must not repeat the key {key}"));
                }
                Some(Object { path: field.to_owned(), entries, is_changed: false, json })
            }
            _ => self.wrong(field, "must be a JSON object"),
        }
    }

    /// Reads a JSON list of 1 to `items_max` items.
    pub(crate) fn items<'a>(
        &mut self,
        field: &str,
        given: FieldJson<'a>,
        items_max: usize,
    ) -> Option<Vec<FieldJson<'a>>> {
        let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(given.0?) else {
            return self.wrong(field, "must be a list");
        };
        if items.is_empty() || items.len() > items_max {
            return self.wrong(field, format!("must have 1 to {items_max} items"));
        }
        Some(items.into_iter().map(|raw| FieldJson(Some(raw.get()))).collect())
    }

    /// Reads a web address: a relative URL, or one with the scheme http or https. Other schemes
    /// could run scripts or embed content.
    pub(crate) fn url(&mut self, field: &str, given: FieldJson<'_>) -> Option<String> {
        let text = self.text(field, given)?;
        if !is_web_url(&text) {
            return self.wrong(field, "must be an http or https URL");
        }
        Some(text)
    }

    /// Reads the address that a pressed button opens. Any scheme is allowed, including an app's
    /// own, except those that run scripts.
    pub(crate) fn link(&mut self, field: &str, given: FieldJson<'_>) -> Option<String> {
        let text = self.text(field, given)?;
        if runs_when_opened(&text) {
            return self.wrong(field, "must not be a javascript, data or vbscript URL");
        }
        Some(text)
    }

    /// Returns the JSON text of a value. If a string contains a JSON object or list, that is
    /// returned.
    fn opened<'a>(
        &mut self,
        field: &str,
        given: FieldJson<'a>,
        strings_must_hold_json: bool,
    ) -> Option<Cow<'a, str>> {
        let json = given.0?;
        if !FieldJson::is_string(json) {
            return Some(Cow::Borrowed(json));
        }
        let text = self.text(field, given)?;
        let inner = text.trim();
        if !inner.starts_with(['{', '[']) {
            if strings_must_hold_json && !inner.is_empty() {
                return self.wrong(field, "must be JSON or a string that contains JSON");
            }
            return if strings_must_hold_json { None } else { Some(Cow::Borrowed(json)) };
        }
        if let Err(problem) = check_json(inner) {
            return self.wrong(field, problem);
        }
        match serde_json::from_str::<&RawValue>(inner) {
            Ok(raw) => Some(Cow::Owned(raw.get().to_owned())),
            Err(_) => self.wrong(field, "contains invalid JSON"),
        }
    }
}

/// Returns a key that occurs more than once.
fn repeated<'a>(entries: &'a [(String, Cow<'_, str>)]) -> Option<&'a str> {
    let mut keys: Vec<&str> = entries.iter().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    keys.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// Whether an address is relative or has an http scheme. Browsers ignore control characters and
/// whitespace in an address, so they are removed before the scheme is read.
fn is_web_url(text: &str) -> bool {
    let visible: String = text.chars().filter(|c| !c.is_control() && !c.is_whitespace()).collect();
    match visible.split_once(':') {
        Some((scheme, _)) if !scheme.contains(['/', '?', '#']) => {
            scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
        }
        _ => true,
    }
}

/// Whether an address has a scheme that runs scripts or embeds data. Browsers ignore case,
/// whitespace and control characters in a scheme; this check ignores all other punctuation as well.
fn runs_when_opened(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    let plain: String = scheme.chars().filter(char::is_ascii_alphanumeric).collect();
    ["javascript", "data", "vbscript"].iter().any(|it| plain.eq_ignore_ascii_case(it))
}

/// A JSON object of the caller. Known keys are checked; all keys are preserved, in their order.
#[derive(Debug)]
pub(crate) struct Object<'a> {
    path: String,
    entries: Vec<(String, Cow<'a, str>)>,
    is_changed: bool,
    json: &'a str,
}

impl<'a> Object<'a> {
    /// Returns the value of a key.
    pub(crate) fn get(&self, key: &str) -> FieldJson<'_> {
        let entry = self.entries.iter().find(|(name, _)| name == key);
        entry.map_or(FieldJson(None), |(_, json)| FieldJson::from_json(json))
    }

    /// Whether the key is present, even with the value `null`.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|(name, _)| name == key)
    }

    /// Returns all keys in the order sent.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(key, _)| key.as_str())
    }

    /// Returns the full path of a key, for error messages.
    pub(crate) fn path(&self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }

    /// Sets a key to a JSON text, replacing its value or appending it.
    pub(crate) fn set(&mut self, key: &str, json: impl Into<Cow<'a, str>>) {
        self.is_changed = true;
        let json = json.into();
        match self.entries.iter_mut().find(|(name, _)| name == key) {
            Some(entry) => entry.1 = json,
            None => self.entries.push((key.to_owned(), json)),
        }
    }

    /// Sets a key to a string.
    pub(crate) fn set_text(&mut self, key: &str, text: &str) {
        self.set(key, json_string(text));
    }

    /// Sets a key to an integer, unless it already has exactly this value.
    pub(crate) fn set_number(&mut self, key: &str, number: i64) {
        let number = number.to_string();
        if self.get(key).0 != Some(&*number) {
            self.set(key, number);
        }
    }

    /// Returns the object as JSON: the caller's own text if no key was set.
    pub(crate) fn json(&self) -> JsonText {
        if !self.is_changed {
            return JsonText::from_checked(self.json);
        }
        let mut text = String::from("{");
        for (key, json) in &self.entries {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&json_string(key));
            text.push(':');
            text.push_str(json);
        }
        text.push('}');
        JsonText::from_checked(text)
    }

    /// Reads an optional string.
    pub(crate) fn text(&self, reading: &mut FieldReader, key: &str) -> Option<String> {
        reading.text(&self.path(key), self.get(key))
    }

    /// Reads a required string.
    pub(crate) fn needed_text(&self, reading: &mut FieldReader, key: &str) -> Option<String> {
        let text = self.text(reading, key);
        reading.needed(&self.path(key), text)
    }

    /// Reads the required string that clients show as the text of the message.
    pub(crate) fn shown_text(&self, reading: &mut FieldReader, key: &str) -> Option<String> {
        let text = self.needed_text(reading, key)?;
        reading.check(check_text(&self.path(key), &text)).map(|()| text)
    }

    /// Reads an optional web address.
    pub(crate) fn url(&self, reading: &mut FieldReader, key: &str) -> Option<String> {
        reading.url(&self.path(key), self.get(key))
    }

    /// Reads an optional address that a press opens.
    pub(crate) fn link(&self, reading: &mut FieldReader, key: &str) -> Option<String> {
        reading.link(&self.path(key), self.get(key))
    }

    /// Reads a required web address.
    pub(crate) fn needed_url(&self, reading: &mut FieldReader, key: &str) -> Option<String> {
        let url = self.url(reading, key).filter(|url| !url.trim().is_empty());
        reading.needed(&self.path(key), url)
    }
}

/// Encodes a text as a JSON string.
pub(crate) fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

struct Entries<'a>(Vec<(String, Cow<'a, str>)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some((key, raw)) = map.next_entry::<String, &'de RawValue>()? {
                    entries.push((key, Cow::Borrowed(raw.get())));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_preserves_unknown_keys_key_order_and_number_spelling() {
        let json = r#"{"b":1.0,"a":12345678901234567890,"label":"x"}"#;
        let mut reading = FieldReader::default();
        let mut object = reading.object("payload", FieldJson(Some(json))).expect("an object");
        assert_eq!(object.json().as_str(), json);
        object.set_text("z", "new\n");
        let expected = r#"{"b":1.0,"a":12345678901234567890,"label":"x","z":"new\n"}"#;
        assert_eq!(object.json().as_str(), expected);
    }

    #[test]
    fn script_and_data_addresses_are_refused() {
        for bad in ["javascript:alert(1)", " JaVaScRiPt:x", "java\nscript:x", "data:text/html,x"] {
            assert!(!is_web_url(bad), "{bad}");
        }
        for fine in ["https://x.example/a:b", "HTTP://x", "", "/a:b", "#", "x/y:z", "page?x=a:b"] {
            assert!(is_web_url(fine), "{fine}");
        }
    }

    #[test]
    fn all_problems_are_reported_and_a_wrong_field_is_not_also_missing() {
        let mut reading = FieldReader::default();
        let text = reading.text("a", FieldJson(Some("5")));
        reading.needed("a", text);
        reading.needed::<String>("b", None);
        let Refusal::Invalid(problems) = reading.refusal() else { panic!("invalid") };
        let named: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(named, ["a must be a string", "b is required"]);
    }
}
