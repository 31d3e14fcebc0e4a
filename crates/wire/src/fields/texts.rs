//! Kinds of fields with plain texts.

use std::marker::PhantomData;

use crate::fields::kind::{Field, field};
use crate::fields::shape::{Shape, string};
use crate::reading::{FieldJson, FieldReader};

field! {
    /// Any string.
    pub(crate) Text -> String;
    |reading, field, given| reading.text(field, given)
}

field! {
    /// Any string; it is checked and then discarded.
    pub(crate) Unkept -> ();
    |reading, field, given| reading.text(field, given).map(drop)
}

field! {
    /// String, or an integer as text.
    pub(crate) Key -> String;
    |reading, field, given| reading.key(field, given)
}

/// Wraps a kind of field: an empty string counts as missing, because forms send one for absent
/// values.
pub(crate) struct NonEmpty<K>(PhantomData<K>);

impl<K: Field> Field for NonEmpty<K> {
    type Value = K::Value;

    const SHAPE: Shape = K::SHAPE;

    fn read(reading: &mut FieldReader, field: &str, given: FieldJson<'_>) -> Option<K::Value> {
        if given.is_empty_text() { None } else { K::read(reading, field, given) }
    }
}

/// Wraps an optional kind of field: if the field is present, its value must not be empty.
pub(crate) struct NonEmptyIfPresent<K>(PhantomData<K>);

impl<K: Field> Field for NonEmptyIfPresent<K> {
    type Value = K::Value;

    const SHAPE: Shape = K::SHAPE;

    fn read(reading: &mut FieldReader, field: &str, given: FieldJson<'_>) -> Option<K::Value> {
        if given.is_absent() {
            return None;
        }
        let value = K::read(reading, field, given);
        reading.needed(field, value)
    }
}

/// String of at most `CHARS_MAX` characters.
pub(crate) struct Short<const CHARS_MAX: usize>;

impl<const CHARS_MAX: usize> Field for Short<CHARS_MAX> {
    type Value = String;

    const SHAPE: Shape = string().at_most(CHARS_MAX);

    fn read(reading: &mut FieldReader, field: &str, given: FieldJson<'_>) -> Option<String> {
        reading.short_text(field, given, CHARS_MAX)
    }
}

/// Display name of a thing, trimmed; whitespace alone counts as missing.
pub(crate) struct Label<const CHARS_MAX: usize>;

impl<const CHARS_MAX: usize> Field for Label<CHARS_MAX> {
    type Value = String;

    const SHAPE: Shape = Short::<CHARS_MAX>::SHAPE;

    fn read(reading: &mut FieldReader, field: &str, given: FieldJson<'_>) -> Option<String> {
        let text = reading.name(field, given, CHARS_MAX)?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

/// String of at most `CHARS_MAX` characters, or the text of a number or a boolean.
pub(crate) struct Value<const CHARS_MAX: usize>;

impl<const CHARS_MAX: usize> Field for Value<CHARS_MAX> {
    type Value = String;

    const SHAPE: Shape = Short::<CHARS_MAX>::SHAPE;

    fn read(reading: &mut FieldReader, field: &str, given: FieldJson<'_>) -> Option<String> {
        reading.short_value(field, given, CHARS_MAX)
    }
}
