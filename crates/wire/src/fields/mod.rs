//! The kinds of fields that requests have: how each is read, within which bounds, and how the
//! OpenAPI document shows it.

/// Declares a kind of field: what it gives, its schema where that is not any text, and how it is
/// read.
macro_rules! field {
    (
        $(#[$doc:meta])*
        $vis:vis $kind:ident -> $value:ty $(, $schema:expr)?;
        |$reading:pat_param, $field:pat_param, $given:pat_param| $read:expr
    ) => {
        $(#[$doc])*
        $vis struct $kind;

        impl $crate::fields::Field for $kind {
            type Value = $value;

            $(fn schema() -> utoipa::openapi::schema::Schema {
                $schema
            })?

            fn read(
                $reading: &mut $crate::reading::Reading,
                $field: &str,
                $given: $crate::reading::Given<'_>,
            ) -> Option<$value> {
                $read
            }
        }
    };
}

mod addresses;
mod json;
mod lists;
mod messages;
mod numbers;
mod people;
mod post;
mod rooms;
mod texts;

pub(crate) use addresses::{CalledUrl, Picture};
pub(crate) use json::{FreePayload, Options, Payload, Properties};
pub(crate) use lists::{
    Integers, Rooms, Texts, UniqueIds, Users, each_room, integers, rooms_within_bound, unique_ids,
};
pub(crate) use messages::{Extras, MessageId, MessageKind, MessageText, StoredId, UniqueId};
pub(crate) use numbers::{Flag, Id, IdText, Integer, LenientInteger, PageNumber, PageSize, Within};
pub(crate) use people::{Email, Name, NewPassword, Password, User};
pub(crate) use post::{ClientPost, Post, UniqueIdOrKey};
pub(crate) use rooms::{Room, RoomKind, RoomUniqueId};
pub(crate) use texts::{Filled, Key, Label, NotEmptied, Short, Text, Unkept, Value};

pub(crate) use field;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

use crate::reading::{Given, Reading};

/// A kind of field.
pub(crate) trait Field {
    /// What it gives.
    type Value;

    /// As the OpenAPI document shows it.
    fn schema() -> Schema {
        string().into()
    }

    /// The value, or nothing: it is absent, or what is wrong with it is noted.
    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<Self::Value>;
}

/// The schema of any text.
pub(crate) fn string() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}
