//! The static description of a request: its fields and groups.

use serde_json::Value;

use crate::fields::kind::Field;
use crate::fields::shape::Shape;

/// Initial capacity for the list of a request's fields; sufficient for most requests.
const FIELDS_EXPECTED: usize = 8;

/// A field, or a group of fields from another request.
pub(crate) enum Part {
    Field(FieldShape),
    Group(&'static [Part]),
}

/// The static description of a field: its names, documentation, type and example.
#[cfg_attr(not(feature = "document"), expect(dead_code, reason = "the document reads the rest"))]
pub(crate) struct FieldShape {
    pub(super) name: &'static str,
    pub(super) also: Option<&'static str>,
    pub(super) docs: &'static [&'static str],
    pub(super) is_required: bool,
    pub(super) shape: Shape,
    pub(super) example: Option<&'static str>,
    pub(super) pattern: Option<&'static str>,
    pub(super) default: Option<fn() -> Value>,
}

impl FieldShape {
    pub(crate) const fn of<K: Field>(name: &'static str, docs: &'static [&'static str]) -> Self {
        let (name, shape, is_required) = (plain_name(name), K::SHAPE, false);
        let (also, example, pattern, default) = (None, None, None, None);
        Self { name, also, docs, is_required, shape, example, pattern, default }
    }

    pub(crate) const fn shown_as_required(self, is_required: bool) -> Self {
        Self { is_required, ..self }
    }

    pub(crate) const fn also(self, name: &'static str) -> Self {
        Self { also: Some(name), ..self }
    }

    pub(crate) const fn example(self, example: &'static str) -> Self {
        Self { example: Some(example), ..self }
    }

    pub(crate) const fn pattern(self, pattern: &'static str) -> Self {
        Self { pattern: Some(pattern), ..self }
    }

    pub(crate) const fn default(self, default: fn() -> Value) -> Self {
        Self { default: Some(default), ..self }
    }
}

/// Returns the public name of a field: its Rust name without `r#`.
pub(crate) const fn plain_name(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

/// Returns all fields, including those of groups.
pub(super) fn shapes(parts: &'static [Part]) -> Vec<&'static FieldShape> {
    let mut found = Vec::with_capacity(FIELDS_EXPECTED);
    add_shapes(parts, &mut found);
    found
}

/// Returns the names of all fields, including those of groups.
pub(crate) fn field_names(parts: &'static [Part]) -> Vec<&'static str> {
    shapes(parts).iter().map(|it| it.name).collect()
}

/// Whether a request has a field of this name.
pub(crate) fn is_field(parts: &'static [Part], name: &str) -> bool {
    shapes(parts).iter().any(|it| it.name == name || it.also.is_some_and(|also| also == name))
}

fn add_shapes(parts: &'static [Part], found: &mut Vec<&'static FieldShape>) {
    for part in parts {
        match part {
            Part::Field(shape) => found.push(shape),
            Part::Group(parts) => add_shapes(parts, found),
        }
    }
}
