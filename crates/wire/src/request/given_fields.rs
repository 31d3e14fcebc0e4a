//! The fields of a request as received, before validation.

use std::borrow::Cow;
use std::fmt;

use confab_domain::limits;
use confab_domain::refusal::Refusal;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::parts::{FieldShape, Part, plain_name, shapes};
use super::spelling::meant;
use crate::fields::kind::Field;
use crate::reading::{FieldJson, FieldReader};

/// The fields of a request as received, before validation.
pub(crate) struct GivenFields<'a> {
    shapes: Vec<&'static FieldShape>,
    given: Vec<Option<FieldJson<'a>>>,
    idempotency_key: Option<&'a str>,
    /// Unknown names, each with the position of the field that it resembles.
    misspelled: Vec<(String, usize)>,
    refuses_misspelled: bool,
}

impl<'a> GivenFields<'a> {
    fn new(shapes: Vec<&'static FieldShape>, given: Vec<Option<FieldJson<'a>>>) -> Self {
        let (idempotency_key, misspelled, refuses_misspelled) = (None, Vec::new(), false);
        Self { shapes, given, idempotency_key, misspelled, refuses_misspelled }
    }

    /// Sets the value of the header `Idempotency-Key`, which is the unique id if no field contains
    /// one.
    pub(crate) fn keyed(self, idempotency_key: Option<&'a str>) -> Self {
        Self { idempotency_key, ..self }
    }

    /// Makes a misspelled field name a problem, unless the field itself is present.
    pub(crate) fn spelled(self) -> Self {
        Self { refuses_misspelled: true, ..self }
    }

    /// Whether the first field is present and not null.
    pub(crate) fn has_first(&self) -> bool {
        self.given.first().copied().flatten().is_some_and(|given| !given.is_absent())
    }

    fn lacks(&self, at: usize) -> bool {
        self.given[at].is_none_or(FieldJson::is_absent)
    }

    pub(crate) fn idempotency_key(&self) -> Option<&'a str> {
        self.idempotency_key
    }

    /// Returns a field as received.
    pub(crate) fn get(&self, name: &str) -> FieldJson<'a> {
        let at = self.shapes.iter().position(|shape| shape.name == name);
        at.and_then(|at| self.given[at]).unwrap_or_default()
    }

    /// Whether a field is present with the value `null`. In some requests `null` removes a value,
    /// whereas absence preserves it.
    pub(crate) fn is_null(&self, name: &str) -> bool {
        let at = self.shapes.iter().position(|shape| shape.name == name);
        at.and_then(|at| self.given[at]).is_some_and(FieldJson::is_absent)
    }

    /// Parses an optional field.
    pub(crate) fn value<K: Field>(
        &self,
        name: &'static str,
        reading: &mut FieldReader,
    ) -> Option<K::Value> {
        let name = plain_name(name);
        K::read(reading, name, self.get(name))
    }

    /// Parses a required field and reports its absence as a problem.
    pub(crate) fn needed<K: Field>(
        &self,
        name: &'static str,
        reading: &mut FieldReader,
    ) -> Option<K::Value> {
        let value = self.value::<K>(name, reading);
        reading.needed(plain_name(name), value)
    }

    /// Parses the request, or refuses it with all problems.
    pub(crate) fn read<T: Request>(&self) -> Result<T, Refusal> {
        self.read_then(|request, _| Some(request))
    }

    /// Parses the request, then calls `then` for checks that span several fields.
    pub(crate) fn read_then<T: Request, U>(
        &self,
        then: impl FnOnce(T, &mut FieldReader) -> Option<U>,
    ) -> Result<U, Refusal> {
        let mut reading = FieldReader::default();
        for (name, at) in
            self.misspelled.iter().filter(|it| self.refuses_misspelled && self.lacks(it.1))
        {
            let problem = format!("is not a field of this call; use {}", self.shapes[*at].name);
            reading.wrong::<()>(name, problem);
        }
        let request = T::read(self, &mut reading);
        match request.and_then(|request| then(request, &mut reading)) {
            Some(value) => reading.finish().map(|()| value),
            None => Err(reading.refusal()),
        }
    }
}

/// A deserializer that takes the fields of these parts from a JSON object and skips all others.
pub(crate) struct FieldSelection(pub(crate) &'static [Part]);

impl<'de> DeserializeSeed<'de> for FieldSelection {
    type Value = GivenFields<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_struct("", &[], self)
    }
}

impl<'de> Visitor<'de> for FieldSelection {
    type Value = GivenFields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        #[derive(Deserialize)]
        struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

        let shapes = shapes(self.0);
        let (mut given, mut misspelled) = (vec![None; shapes.len()], Vec::new());
        while let Some(Key(key)) = map.next_key()? {
            let is_it =
                |it: &&FieldShape| it.name == key || it.also.is_some_and(|also| also == key);
            match shapes.iter().position(is_it) {
                None => {
                    map.next_value::<IgnoredAny>()?;
                    if misspelled.len() < limits::MISSPELT_FIELDS_MAX {
                        misspelled.extend(meant(&key, &shapes).map(|at| (key.into_owned(), at)));
                    }
                }
                Some(at) if given[at].is_some() => return Err(A::Error::duplicate_field("")),
                Some(at) => given[at] = Some(map.next_value::<FieldJson<'de>>()?),
            }
        }
        Ok(GivenFields { misspelled, ..GivenFields::new(shapes, given) })
    }

    // Callers refuse lists. Read each item, so that invalid JSON is reported as such.
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let shapes = shapes(self.0);
        for _ in &shapes {
            list.next_element::<IgnoredAny>()?;
        }
        let given = vec![None; shapes.len()];
        Ok(GivenFields::new(shapes, given))
    }
}

/// A request, or a group of fields that several requests share.
pub(crate) trait Request: Sized {
    /// Fields in the order in which they are parsed.
    const PARTS: &'static [Part];

    /// Parses all fields and reports all problems, even after one was found.
    fn read(fields: &GivenFields<'_>, reading: &mut FieldReader) -> Option<Self>;
}

#[cfg(test)]
mod tests {
    use confab_domain::refusal::Refusal;

    use crate::body::Body;
    use crate::message_api::users::{SomeUsersFields, read_some_users};

    fn refused(json: &str) -> String {
        let body = Body::from_json(json.as_bytes()).expect("JSON");
        let Err(Refusal::Invalid(problems)) = body.read::<SomeUsersFields>() else {
            panic!("must be refused")
        };
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_field_under_both_of_its_names_is_a_repeated_key() {
        let repeated = "The body must be a JSON object without repeated keys";
        assert_eq!(refused(r#"{"user_ids":["a"],"user_ids[]":["b"]}"#), repeated);
        assert_eq!(refused(r#"{"user_ids":null,"user_ids":["b"]}"#), repeated);
        assert_eq!(refused(r#"{"other":1,"other":2}"#), "user_ids is required");
    }

    #[test]
    fn a_request_must_be_an_object() {
        for list in ["[]", r#"[["a"]]"#] {
            assert_eq!(refused(list), "The body must be a JSON object, not a list");
        }
        assert_eq!(refused("\"a\""), "The body must be a JSON object, not a string");
        assert_eq!(refused("[1,"), "The body is not valid JSON (line 1, column 3)");
    }

    #[test]
    fn the_query_is_used_only_if_the_body_has_no_such_field() {
        let query = Body::from_form(b"user_ids[]=q").expect("a query");
        for (json, expected) in
            [("{}", "q"), (r#"{"user_ids":null}"#, "q"), (r#"{"user_ids":"b"}"#, "b")]
        {
            let body = Body::from_json(json.as_bytes()).expect("JSON");
            let users = read_some_users(&body, &query).expect("users");
            assert_eq!(
                users.iter().map(|it| it.as_str()).collect::<Vec<_>>(),
                [expected],
                "{json}"
            );
        }
    }
}
