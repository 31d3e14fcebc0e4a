//! Numbers and flags.

use confab_domain::ids::ID_END;
use confab_domain::limits;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};

use super::Field;
use crate::reading::{Given, Reading};

fn integer(format: KnownFormat) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Integer).format(Some(SchemaFormat::KnownFormat(format)))
}

/// A boolean, or the words and digits that forms send for one.
pub(crate) struct Flag;

impl Field for Flag {
    type Value = bool;

    fn schema() -> Schema {
        ObjectBuilder::new().schema_type(Type::Boolean).into()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<bool> {
        reading.boolean(field, given)
    }
}

/// An integer, or a string that holds one.
pub(crate) struct Integer;

impl Field for Integer {
    type Value = i64;

    fn schema() -> Schema {
        integer(KnownFormat::Int64).into()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<i64> {
        reading.integer(field, given)
    }
}

/// An integer; what makes no sense counts as missing (D-0003).
pub(crate) struct LenientInteger;

impl Field for LenientInteger {
    type Value = i64;

    fn schema() -> Schema {
        Integer::schema()
    }

    fn read(_: &mut Reading, field: &str, given: Given<'_>) -> Option<i64> {
        // A reading of its own: a problem with it is no reason to refuse.
        Reading::default().integer(field, given)
    }
}

/// Which page of a list, from 1; what makes no sense counts as missing.
pub(crate) struct PageNumber;

impl Field for PageNumber {
    type Value = u64;

    fn schema() -> Schema {
        Integer::schema()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<u64> {
        let number = LenientInteger::read(reading, field, given)?;
        u64::try_from(number).ok().filter(|number| *number >= 1)
    }
}

/// How many items a page has; what makes no sense, or is too many, counts as missing.
pub(crate) struct PageSize;

impl Field for PageSize {
    type Value = usize;

    fn schema() -> Schema {
        Integer::schema()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<usize> {
        let size = usize::try_from(LenientInteger::read(reading, field, given)?).ok();
        size.filter(|size| (1..=limits::PAGE_MAX).contains(size))
    }
}

/// An integer within bounds.
pub(crate) struct Within<const LEAST: u32, const MOST: u32>;

impl<const LEAST: u32, const MOST: u32> Field for Within<LEAST, MOST> {
    type Value = u32;

    fn schema() -> Schema {
        integer(KnownFormat::Int32).minimum(Some(LEAST)).maximum(Some(MOST)).into()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<u32> {
        let number = u32::try_from(reading.integer(field, given)?).ok();
        match number.filter(|number| (LEAST..=MOST).contains(number)) {
            Some(number) => Some(number),
            None => reading.wrong(field, format!("must be an integer from {LEAST} to {MOST}")),
        }
    }
}

/// The integer of something; an empty text counts as missing.
pub(crate) struct Id;

impl Field for Id {
    type Value = i64;

    fn schema() -> Schema {
        Integer::schema()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<i64> {
        let text = reading.key(field, given).filter(|text| !text.is_empty())?;
        match text.parse().ok().filter(|id| (1..ID_END).contains(id)) {
            Some(id) => Some(id),
            None => reading.wrong(field, "must be an integer above 0"),
        }
    }
}

/// The same where it is usually sent as a text.
pub(crate) struct IdText;

impl Field for IdText {
    type Value = i64;

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<i64> {
        Id::read(reading, field, given)
    }
}
