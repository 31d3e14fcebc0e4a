//! Reads request bodies and queries, in JSON or form encoding, as one checked JSON object
//! (design/message-api).

use std::borrow::Cow;

use confab_domain::field_problem::FieldProblem;
use confab_domain::json_check::{check_json, hex};
use confab_domain::refusal::Refusal;
use serde::de::DeserializeSeed;

use crate::reading::FieldReader;
use crate::request::{FieldSelection, GivenFields, Request, field_names, is_field};

/// The JSON object of a request, from its body or its query string.
pub struct Body<'a>(Cow<'a, str>);

impl<'a> Body<'a> {
    /// Reads a JSON body. An empty body counts as an empty object.
    pub fn from_json(bytes: &'a [u8]) -> Result<Self, Refusal> {
        let text = std::str::from_utf8(bytes).map_err(|_| problem("is not valid UTF-8"))?;
        // Some editors and tools begin a file with a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = if text.trim().is_empty() { "{}" } else { text };
        check_json(text).map_err(problem)?;
        Ok(Self(Cow::Borrowed(text)))
    }

    /// Reads an urlencoded form or query. Values become JSON strings; fields named `name[]` become
    /// a list.
    pub fn from_form(bytes: &[u8]) -> Result<Body<'static>, Refusal> {
        if !is_utf8_form(bytes) {
            return Err(FieldProblem::new("The form or query", "is not valid UTF-8").into());
        }
        Ok(Self::from_pairs(form_urlencoded::parse(bytes)))
    }

    /// Builds the object from decoded form fields, such as those of a multipart form.
    pub fn from_pairs<'b>(
        pairs: impl IntoIterator<Item = (Cow<'b, str>, Cow<'b, str>)>,
    ) -> Body<'static> {
        let mut fields = serde_json::Map::new();
        for (name, value) in pairs {
            let value = serde_json::Value::String(value.into_owned());
            match name.split_once('[') {
                None => drop(fields.insert(name.into_owned(), value)),
                Some((list, _)) => {
                    let entry = fields.entry(list).or_insert_with(|| serde_json::json!([]));
                    match entry {
                        serde_json::Value::Array(items) => items.push(value),
                        other => *other = serde_json::json!([other.take(), value]),
                    }
                }
            }
        }
        Body(Cow::Owned(serde_json::Value::Object(fields).to_string()))
    }

    /// Copies the text, so that the body no longer borrows from the request.
    pub fn into_owned(self) -> Body<'static> {
        Body(Cow::Owned(self.0.into_owned()))
    }

    /// Reads a request, or refuses it with all its problems.
    pub(crate) fn read<T: Request>(&self) -> Result<T, Refusal> {
        self.given::<T>()?.read()
    }

    /// Reads a request and reports every unknown field as a problem, because a misspelled field
    /// would otherwise be ignored.
    pub(crate) fn read_exactly<T: Request>(&self) -> Result<T, Refusal> {
        let names = field_names(T::PARTS).join(", ");
        self.refuse_unknown::<T>(&format!("is not a field of this call; its fields are {names}"))?;
        self.read()
    }

    /// Reads a request of the message API, which ignores unknown fields except those that look like
    /// a misspelled field.
    pub(crate) fn read_spelled<T: Request>(&self) -> Result<T, Refusal> {
        self.given::<T>()?.spelled().read()
    }

    /// Reads a request like [`Self::read_spelled`], then applies a check that needs all its fields.
    pub(crate) fn read_spelled_then<T: Request, U>(
        &self,
        then: impl FnOnce(T, &mut FieldReader) -> Option<U>,
    ) -> Result<U, Refusal> {
        self.given::<T>()?.spelled().read_then(then)
    }

    /// Reads a request like [`Self::read`], then applies a check that needs all its fields.
    pub(crate) fn read_then<T: Request, U>(
        &self,
        then: impl FnOnce(T, &mut FieldReader) -> Option<U>,
    ) -> Result<U, Refusal> {
        self.given::<T>()?.read_then(then)
    }

    /// Reads a request that posts a message, whose unique id may be in the header
    /// `Idempotency-Key`.
    pub(crate) fn read_keyed<T: Request>(&self, key: Option<&str>) -> Result<T, Refusal> {
        self.given::<T>()?.keyed(key).spelled().read()
    }

    /// Returns the fields of this body, or those of `query` if the body lacks the request's first
    /// field.
    pub(crate) fn given_or<'b, T: Request>(
        &'b self,
        query: &'b Body<'_>,
    ) -> Result<GivenFields<'b>, Refusal> {
        let (in_body, in_query) = (self.given::<T>()?, query.given::<T>()?);
        Ok(if in_body.has_first() { in_body } else { in_query }.spelled())
    }

    /// Fails with this problem for each unknown field. Most calls ignore unknown fields instead.
    pub(crate) fn refuse_unknown<T: Request>(&self, problem: &str) -> Result<(), Refusal> {
        let fields: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(&self.0).unwrap_or_default();
        let mut reading = FieldReader::default();
        for name in fields.keys().filter(|name| !is_field(T::PARTS, name)) {
            reading.wrong::<()>(name, problem);
        }
        reading.finish()
    }

    /// Extracts the fields of a request without checking their values.
    pub(crate) fn given<T: Request>(&self) -> Result<GivenFields<'_>, Refusal> {
        const REPEATED: &str = "must be a JSON object without repeated keys";
        let mut json = serde_json::Deserializer::from_str(&self.0);
        let given = FieldSelection(T::PARTS).deserialize(&mut json);
        let given = given.and_then(|given| json.end().map(|()| given));
        let given = given.map_err(|error| match error.classify() {
            serde_json::error::Category::Data => {
                problem(not_an_object(&self.0).unwrap_or(REPEATED))
            }
            _ => problem(format!(
                "is not valid JSON (line {}, column {})",
                error.line(),
                error.column()
            )),
        })?;
        not_an_object(&self.0).map_or(Ok(given), |wrong| Err(problem(wrong)))
    }
}

/// Returns the problem of a JSON text that is not an object.
fn not_an_object(json: &str) -> Option<&'static str> {
    match json.trim_start().as_bytes().first()? {
        b'{' => None,
        b'[' => Some("must be a JSON object, not a list"),
        b'"' => Some("must be a JSON object, not a string"),
        _ => Some("must be a JSON object"),
    }
}

fn problem(problem: impl Into<String>) -> Refusal {
    FieldProblem::new("The body", problem).into()
}

/// Whether a form is valid UTF-8 after percent-decoding. The form parser cannot detect this: it
/// writes replacement characters for invalid bytes.
fn is_utf8_form(bytes: &[u8]) -> bool {
    if !bytes.contains(&b'%') {
        return std::str::from_utf8(bytes).is_ok();
    }
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let escaped = hex(bytes, at + 1, 2).filter(|_| *byte == b'%');
        plain.push(escaped.map_or(*byte, |escaped| escaped as u8));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    std::str::from_utf8(&plain).is_ok()
}

#[cfg(test)]
mod tests {
    use confab_domain::json_check::check_json;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::message_api::comments::PostCommentFields;

    #[test]
    fn sixty_four_levels_of_nesting_are_accepted_and_one_more_is_refused() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert_eq!(check_json(&nested(64)), Ok(()));
        assert!(check_json(&nested(65)).is_err());
        assert!(check_json(&nested(100_000)).is_err());
        assert_eq!(check_json(&format!("\"{}\"", "[".repeat(1000))), Ok(()), "inside a string");
    }

    #[test]
    fn lone_surrogates_are_refused_and_pairs_are_accepted() {
        for lone in
            [r#""\ud800""#, r#""\udc00""#, r#""\ud800x""#, r#""\ud800\u0041""#, r#""\uDBFF\"#]
        {
            assert!(check_json(lone).is_err(), "{lone}");
        }
        for fine in [r#""\ud83d\ude00""#, r#""\\ud800""#, r#""\u00e9""#, r#""\"\ud83d\ude00\"""#] {
            assert_eq!(check_json(fine), Ok(()), "{fine}");
        }
    }

    #[test]
    fn forms_become_objects_with_strings_and_lists() {
        let body = Body::from_form(b"room_id=5&user_ids[]=a&user_ids[]=b%20c&x=1&x=2")
            .expect("a valid form");
        assert_eq!(body.0, r#"{"room_id":"5","user_ids":["a","b c"],"x":"2"}"#);
    }

    #[test]
    fn percent_decoded_forms_must_be_valid_utf_8() {
        for wrong in [&b"x=%ff"[..], b"x=\xff", b"%C3=1", b"x=%ED%A0%80", b"x=%C3&y=%A9"] {
            assert!(Body::from_form(wrong).is_err(), "{wrong:?}");
        }
        for fine in [&b"x=%C3%A9"[..], "x=é".as_bytes(), b"x=%zz%", b"x=%EF%BF%BD", b"%=%2"] {
            assert!(Body::from_form(fine).is_ok(), "{fine:?}");
        }
    }

    proptest! {
        #[test]
        fn text_that_passes_both_checks_parses_as_plain_json(text in ".*") {
            let is_raw = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
            if is_raw && check_json(&text).is_ok() {
                // Plain parsing may still refuse numbers beyond its range; raw text preserves them.
                let parsed = serde_json::from_str::<serde_json::Value>(&text);
                prop_assert!(parsed.is_ok() || text.contains(['e', 'E']), "{text}");
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused_without_a_panic(bytes in vec(any::<u8>(), 0..200)) {
            if let Ok(body) = Body::from_json(&bytes) {
                let _ = body.given::<PostCommentFields>();
            }
            let _ = Body::from_form(&bytes);
        }
    }
}
