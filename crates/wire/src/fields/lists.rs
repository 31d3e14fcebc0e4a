//! Kinds of fields with several values.

use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::ID_END;
use confab_domain::limits;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::{UserId, UserRef};
use confab_domain::rooms::room::RoomRef;

use crate::fields::kind::{Field, field};
use crate::fields::shape::{Items, Shape, list};
use crate::reading::{FieldJson, FieldReader};

const fn texts(items_min: usize, items_max: usize) -> Shape {
    let texts = list(Items::Texts).at_most(items_max);
    if items_min > 0 { texts.at_least(items_min) } else { texts }
}

field! {
    /// List of strings; also a string that contains a JSON list, or a single string.
    pub(crate) Texts -> Vec<String>, list(Items::Texts);
    |reading, field, given| reading.texts(field, given)
}

/// User ids without duplicates. If at least one is required, an empty list counts as missing.
pub(crate) struct Users<const USERS_MIN: usize, const USERS_MAX: usize>;

/// Users without duplicates, for calls with the app's own credentials; see [`AddressedUser`].
///
/// [`AddressedUser`]: crate::fields::AddressedUser
pub(crate) struct AddressedUsers<const USERS_MIN: usize, const USERS_MAX: usize>;

impl<const MIN: usize, const MAX: usize> Field for Users<MIN, MAX> {
    type Value = Vec<UserId>;

    const SHAPE: Shape = texts(MIN, MAX);

    fn read(reading: &mut FieldReader, field: &str, given: FieldJson<'_>) -> Option<Vec<UserId>> {
        each_user::<MIN, MAX, _>(reading, field, given, UserId::parse)
    }
}

impl<const MIN: usize, const MAX: usize> Field for AddressedUsers<MIN, MAX> {
    type Value = Vec<UserRef>;

    const SHAPE: Shape = texts(MIN, MAX);

    fn read(reading: &mut FieldReader, field: &str, given: FieldJson<'_>) -> Option<Vec<UserRef>> {
        each_user::<MIN, MAX, _>(reading, field, given, UserRef::parse_addressed)
    }
}

fn each_user<const MIN: usize, const MAX: usize, T: PartialEq>(
    reading: &mut FieldReader,
    field: &str,
    given: FieldJson<'_>,
    parse: fn(&str, &str) -> Result<T, FieldProblem>,
) -> Option<Vec<T>> {
    let texts = reading.texts(field, given)?;
    if texts.len() > MAX {
        return reading.wrong(field, format!("must name at most {MAX} users"));
    }
    let mut users: Vec<T> = Vec::with_capacity(texts.len());
    for text in &texts {
        let user = reading.check(parse(field, text))?;
        if !users.contains(&user) {
            users.push(user);
        }
    }
    Some(users).filter(|users| MIN == 0 || !users.is_empty())
}

/// Rooms by id or unique id, without duplicates.
pub(crate) struct Rooms<const ROOMS_MIN: usize>;

impl<const MIN: usize> Field for Rooms<MIN> {
    type Value = Vec<RoomRef>;

    const SHAPE: Shape = texts(MIN, limits::CALL_ROOMS_MAX);

    fn read(reading: &mut FieldReader, field: &str, given: FieldJson<'_>) -> Option<Vec<RoomRef>> {
        let rooms = each_room(reading, field, given)?;
        let rooms = rooms_within_bound(reading, field, rooms)?;
        Some(rooms).filter(|rooms| MIN == 0 || !rooms.is_empty())
    }
}

/// Reads any number of rooms, without duplicates.
pub(crate) fn each_room(
    reading: &mut FieldReader,
    field: &str,
    given: FieldJson<'_>,
) -> Option<Vec<RoomRef>> {
    let mut rooms = Vec::new();
    for text in reading.keys(field, given)? {
        let room = reading.check(RoomRef::parse(field, &text))?;
        if !rooms.contains(&room) {
            rooms.push(room);
        }
    }
    Some(rooms)
}

/// Records a problem if there are more rooms than a call may name.
pub(crate) fn rooms_within_bound(
    reading: &mut FieldReader,
    field: &str,
    rooms: Vec<RoomRef>,
) -> Option<Vec<RoomRef>> {
    let rooms_max = limits::CALL_ROOMS_MAX;
    if rooms.len() > rooms_max {
        return reading.wrong(field, format!("must name at most {rooms_max} rooms"));
    }
    Some(rooms)
}

/// Unique ids of messages, as strings; an empty list counts as missing. [`unique_ids`] checks their
/// number after all fields have been read.
pub(crate) struct UniqueIds<const IDS_MAX: usize>;

impl<const IDS_MAX: usize> Field for UniqueIds<IDS_MAX> {
    type Value = Vec<String>;

    const SHAPE: Shape = texts(1, IDS_MAX);

    fn read(reading: &mut FieldReader, field: &str, given: FieldJson<'_>) -> Option<Vec<String>> {
        reading.texts(field, given).filter(|texts| !texts.is_empty())
    }
}

/// Returns the unique ids without duplicates; more than `IDS_MAX` are a problem.
pub(crate) fn unique_ids<const IDS_MAX: usize>(
    reading: &mut FieldReader,
    texts: Vec<String>,
) -> Option<Vec<UniqueId>> {
    if texts.len() > IDS_MAX {
        return reading.wrong("unique_ids", format!("must name at most {IDS_MAX} messages"));
    }
    let mut ids: Vec<UniqueId> = Vec::new();
    for text in texts {
        // Not `UniqueId::parse`: ids of broadcasts are longer, and a malformed id is merely
        // unknown.
        let id = UniqueId::from_stored(text);
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Some(ids)
}

/// List of integer ids.
pub(crate) struct Integers<const ITEMS_MAX: usize>;

impl<const MAX: usize> Field for Integers<MAX> {
    type Value = Vec<i64>;

    const SHAPE: Shape = list(Items::Integers).at_most(MAX);

    fn read(reading: &mut FieldReader, field: &str, given: FieldJson<'_>) -> Option<Vec<i64>> {
        let texts = reading.keys(field, given)?;
        if texts.len() > MAX {
            reading.wrong::<()>(field, format!("must have at most {MAX} items"));
        }
        integers(reading, field, &texts)
    }
}

/// Parses ids from 0 up to the largest id.
pub(crate) fn integers(
    reading: &mut FieldReader,
    field: &str,
    texts: &[String],
) -> Option<Vec<i64>> {
    let integer = |text: &String| text.parse().ok().filter(|id| (0..ID_END).contains(id));
    let integers: Option<Vec<i64>> = texts.iter().map(integer).collect();
    integers.or_else(|| reading.wrong(field, "must be a list of integers"))
}
