//! Plain texts.

use std::marker::PhantomData;

use crate::fields::kind::Field;
use crate::fields::shape::{Shape, string};
use crate::reading::{Given, Reading};

field! {
    /// Any string.
    pub(crate) Text -> String;
    |reading, field, given| reading.text(field, given)
}

field! {
    /// Any string, which is looked at and not kept.
    pub(crate) Unkept -> ();
    |reading, field, given| reading.text(field, given).map(drop)
}

field! {
    /// A string, or an integer as its text.
    pub(crate) Key -> String;
    |reading, field, given| reading.key(field, given)
}

/// Another kind of field, of which an empty text counts as missing: forms send one for what is not
/// given.
pub(crate) struct Filled<K>(PhantomData<K>);

impl<K: Field> Field for Filled<K> {
    type Value = K::Value;

    const SHAPE: Shape = K::SHAPE;

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<K::Value> {
        if given.is_empty_text() { None } else { K::read(reading, field, given) }
    }
}

/// Another kind of field, which may be absent; but if it is given, it must be there.
pub(crate) struct NotEmptied<K>(PhantomData<K>);

impl<K: Field> Field for NotEmptied<K> {
    type Value = K::Value;

    const SHAPE: Shape = K::SHAPE;

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<K::Value> {
        if given.is_absent() {
            return None;
        }
        let value = K::read(reading, field, given);
        reading.needed(field, value)
    }
}

/// A string of at most so many characters.
pub(crate) struct Short<const CHARS_MAX: usize>;

impl<const CHARS_MAX: usize> Field for Short<CHARS_MAX> {
    type Value = String;

    const SHAPE: Shape = string().at_most(CHARS_MAX);

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<String> {
        reading.short_text(field, given, CHARS_MAX)
    }
}

/// A name of something, without blanks around it; blanks alone count as missing.
pub(crate) struct Label<const CHARS_MAX: usize>;

impl<const CHARS_MAX: usize> Field for Label<CHARS_MAX> {
    type Value = String;

    const SHAPE: Shape = Short::<CHARS_MAX>::SHAPE;

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<String> {
        let text = reading.name(field, given, CHARS_MAX)?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

/// A string of at most so many characters; a number or a boolean is its text.
pub(crate) struct Value<const CHARS_MAX: usize>;

impl<const CHARS_MAX: usize> Field for Value<CHARS_MAX> {
    type Value = String;

    const SHAPE: Shape = Short::<CHARS_MAX>::SHAPE;

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<String> {
        reading.short_value(field, given, CHARS_MAX)
    }
}
