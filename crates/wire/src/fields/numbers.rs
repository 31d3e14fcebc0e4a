//! Kinds of fields with numbers and booleans.

use confab_domain::ids::ID_END;
use confab_domain::limits;

use crate::fields::kind::{Field, field};
use crate::fields::shape::Shape;
use crate::reading::{FieldJson, FieldReader};

field! {
    /// Boolean; also accepts the words and digits that forms send.
    pub(crate) Flag -> bool, Shape::Flag;
    |reading, field, given| reading.boolean(field, given)
}

field! {
    /// Integer, or a string that contains one.
    pub(crate) Integer -> i64, Shape::Integer { within: None };
    |reading, field, given| reading.integer(field, given)
}

field! {
    /// Integer; a malformed value counts as missing.
    pub(crate) LenientInteger -> i64, Integer::SHAPE;
    |_, field, given| {
        // A separate reading, because a problem here does not fail the request.
        FieldReader::default().integer(field, given)
    }
}

field! {
    /// Page number, from 1; a malformed value counts as missing, but a number that is too large is
    /// a problem.
    pub(crate) PageNumber -> u64, Integer::SHAPE;
    |reading, field, given| {
        let number = reading.lenient_integer(field, given)?;
        u64::try_from(number).ok().filter(|number| *number >= 1)
    }
}

field! {
    /// Number of items per page; a malformed or excessive value counts as missing.
    pub(crate) PageSize -> usize, Integer::SHAPE;
    |reading, field, given| {
        let size = usize::try_from(LenientInteger::read(reading, field, given)?).ok();
        size.filter(|size| (1..=limits::PAGE_MAX).contains(size))
    }
}

/// Integer from `LEAST` to `MOST`.
pub(crate) struct Within<const LEAST: u32, const MOST: u32>;

impl<const LEAST: u32, const MOST: u32> Field for Within<LEAST, MOST> {
    type Value = u32;

    const SHAPE: Shape = Shape::Integer { within: Some((LEAST, MOST)) };

    fn read(reading: &mut FieldReader, field: &str, given: FieldJson<'_>) -> Option<u32> {
        let number = u32::try_from(reading.integer(field, given)?).ok();
        match number.filter(|number| (LEAST..=MOST).contains(number)) {
            Some(number) => Some(number),
            None => reading.wrong(field, format!("must be an integer from {LEAST} to {MOST}")),
        }
    }
}

field! {
    /// Positive integer id; an empty string counts as missing.
    pub(crate) Id -> i64, Integer::SHAPE;
    |reading, field, given| {
        let text = reading.key(field, given).filter(|text| !text.is_empty())?;
        match text.parse().ok().filter(|id| (1..ID_END).contains(id)) {
            Some(id) => Some(id),
            None => reading.wrong(field, "must be an integer above 0"),
        }
    }
}

field! {
    /// Positive integer id that callers usually send as a string.
    pub(crate) IdText -> i64;
    |reading, field, given| Id::read(reading, field, given)
}
