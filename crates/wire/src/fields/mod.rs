//! Kinds of request fields: how each is read, its bounds, and its shape in the OpenAPI document.

mod addresses;
mod json;
pub(crate) mod kind;
mod lists;
mod messages;
mod numbers;
mod people;
mod post;
mod rooms;
pub(crate) mod shape;
mod texts;

pub(crate) use addresses::{CalledUrl, HookUrl, Picture};
pub(crate) use json::{FreePayload, Options, Payload, Properties, TriedBody};
pub(crate) use kind::field;
pub(crate) use lists::{
    AddressedUsers, Integers, Rooms, Texts, UniqueIds, Users, each_room, integers,
    rooms_within_bound, unique_ids,
};
pub(crate) use messages::{Extras, MessageId, MessageText, StoredId, UniqueId};
pub(crate) use numbers::{Flag, Id, IdText, Integer, LenientInteger, PageNumber, PageSize, Within};
pub(crate) use people::{AddressedUser, ChannelUser, Email, Name, NewPassword, Password, User};
pub(crate) use post::{ClientPost, OlderPost, Post, UniqueIdOrKey};
pub(crate) use rooms::{Room, RoomKind, RoomUniqueId};
pub(crate) use texts::{Key, Label, NonEmpty, NonEmptyIfPresent, Short, Text, Unkept, Value};
